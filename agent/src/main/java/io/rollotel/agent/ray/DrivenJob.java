package io.rollotel.agent.ray;

import io.rollotel.agent.api.Tracing;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.settings.CurrentSettings;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The job that this process drives: passes settings to its workers before it begins, and waits for
 * their spans and fetches their files before it ends. Any thread.
 */
final class DrivenJob {

  /** A worker waits a few milliseconds before it exports, and may have to wait for a core. */
  private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /**
   * The wait for one actor, which leaves its recorder file behind: too short for its caller to
   * notice.
   */
  private static final long ACTORS_GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final CurrentSettings settings;
  private final Function<ClassLoader, @Nullable Tracing> tracings;

  /** When this process last sent a call, or got a result. */
  private volatile long lastUseNanos = System.nanoTime() - GRACE_NANOS;

  private volatile long lastKillNanos = System.nanoTime() - GRACE_NANOS;

  /** Null if this process drives no job. */
  private volatile @Nullable Tracing tracing;

  /** Until Ray knows the job. */
  private volatile @Nullable RayJob preparing;

  private volatile boolean isFetching;

  DrivenJob(CurrentSettings settings, Function<ClassLoader, @Nullable Tracing> tracings) {
    this.settings = settings;
    this.tracings = tracings;
  }

  /** The options that workers' JVMs start with; their environment is set as well. */
  List<String> jvmOptions(Object config, List<String> given) throws Exception {
    RayJob job = new RayJob(config);
    if (!job.isDriverOfCluster()) {
      return given;
    }
    Tracing driver = tracings.apply(config.getClass().getClassLoader());
    if (driver == null) {
      return given;
    }
    preparing = job;
    tracing = driver;
    return job.prepare(settings.get(), driver.forWorkers(), given);
  }

  /** Between its configuration and its submission a job learns which node its driver is on. */
  void connected(Object node) throws Exception {
    RayJob job = preparing;
    preparing = null;
    InetAddress address = job == null ? null : RayJob.address(node);
    Tracing driver = address == null ? null : tracings.apply(node.getClass().getClassLoader());
    if (job != null && address != null && driver != null) {
      job.addCollector(driver.forWorkersReaching(address));
    }
  }

  /** A call was sent, or a result has come. */
  void used() {
    lastUseNanos = System.nanoTime();
  }

  /** True while this process fetches files of other hosts with Ray tasks of its own. */
  boolean isFetching() {
    return isFetching;
  }

  /**
   * An actor is about to be killed. Ray's workers die without notice: so give them time to send
   * their last spans. Actors that are killed in quick succession share this wait, and after a quiet
   * moment there is none.
   */
  void endingActor() {
    park(graceNanos(ACTORS_GRACE_NANOS, System.nanoTime()));
    lastKillNanos = System.nanoTime();
  }

  /**
   * The job is about to end, and all workers with it.
   *
   * @param nodeId the driver's; null if it made no call
   */
  void ending(Object runtime, @Nullable String nodeId) throws Exception {
    park(graceNanos(GRACE_NANOS, System.nanoTime()));
    Tracing driver = tracing;
    String runId = TraceHook.runId();
    if (driver == null || settings.get().fetchTimeoutMillis() == 0) {
      return;
    }
    tracing = null;
    if (nodeId == null || runId == null) {
      return;
    }
    isFetching = true;
    try {
      fetch(runtime, nodeId, runId, driver);
    } finally {
      isFetching = false;
    }
  }

  /**
   * Fetches the files that the run's processes have left on other hosts, while Ray can still do so.
   */
  private void fetch(Object runtime, String nodeId, String runId, Tracing driver) throws Exception {
    RayHosts hosts = RayHosts.of(runtime, nodeId);
    if (hosts != null) {
      // A host must have noticed that a worker was killed before its files are fetched.
      park(GRACE_NANOS - (System.nanoTime() - lastKillNanos));
      hosts.fetch(runId, settings.get(), driver.runBytes());
    }
  }

  private static void park(long nanos) {
    if (nanos > 0) {
      LockSupport.parkNanos(nanos);
    }
  }

  /**
   * How long workers may still need to export the calls that this process knows to have ended; 0
   * for no time.
   */
  long graceNanos(long mostNanos, long nowNanos) {
    return Math.max(0, mostNanos - Math.max(0, nowNanos - lastUseNanos));
  }
}
