package io.rollotel.traces.collector;

import io.rollotel.traces.file.ProcessFileName;
import io.rollotel.traces.file.RunBytes;
import io.rollotel.traces.otlp.Signal;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The place where the processes of a run meet: the output directory. The process that wins the
 * {@link DriverElection} is the driver: it names the run, runs the collector and writes its address
 * beside the lock, where the others find it.
 *
 * <p>One for each process; threads may share it. It accesses nothing before the first call.
 */
public final class Rendezvous implements AutoCloseable {

  /**
   * The collector of a run.
   *
   * @param endpoint its address for OTLP/HTTP
   * @param token empty if it requires none
   * @param here takes the requests of this process if the collector runs in it; otherwise null
   * @param grpc its address for OTLP/gRPC; null if it does not serve that
   */
  public record Collector(
      URI endpoint, String token, @Nullable Requests here, @Nullable URI grpc) {}

  /** Takes requests in protobuf without using the network. */
  @FunctionalInterface
  public interface Requests {
    /**
     * Writes a request; when this returns, the operating system has it.
     *
     * @throws IOException if it cannot be written
     */
    void append(Signal signal, byte[] request) throws IOException;
  }

  private final File outputDir;
  private final File tracesDir;
  private final boolean mayLead;

  private final LazySettings settings;
  private final Consumer<String> warn;
  private final Consumer<String> info;

  private final RunIdentity run;
  private final DriverElection election;

  /**
   * Guards what follows, and the collector of a driver. No thread holds it while a collector starts
   * or stops, since the end of the process waits for it.
   */
  private final Object lock = new Object();

  private final DriverFile file;
  private final AgreedRunBytes runBytes;

  /** Null in a worker. */
  private @Nullable DriverCollector driver;

  private volatile boolean listensAtOnce = true;

  /**
   * A rendezvous in a directory, which is created when needed.
   *
   * @param mayLead whether this process may become the driver
   * @param mustLead whether the user requires it to be the driver
   * @param runId the run's id, or null if the driver makes one
   * @param warn receives lines that the user should see
   * @param info receives lines about actions
   */
  public Rendezvous(
      File outputDir,
      boolean mayLead,
      boolean mustLead,
      @Nullable String runId,
      Consumer<String> warn,
      Consumer<String> info) {
    this(outputDir, mayLead, mustLead, runId, CollectorSettings.ofDriver(), warn, info);
  }

  /**
   * The same with a collector that the user's settings configure: {@link CollectorSettings#read}.
   */
  public Rendezvous(
      File outputDir,
      boolean mayLead,
      boolean mustLead,
      @Nullable String runId,
      Function<String, @Nullable String> values,
      Consumer<String> warn,
      Consumer<String> info) {
    this(outputDir, mayLead, mustLead, runId, new LazySettings(values, warn), warn, info);
  }

  /** The same with further settings of the collector. */
  public Rendezvous(
      File outputDir,
      boolean mayLead,
      boolean mustLead,
      @Nullable String runId,
      CollectorSettings settings,
      Consumer<String> warn,
      Consumer<String> info) {
    this(outputDir, mayLead, mustLead, runId, new LazySettings(settings, warn), warn, info);
  }

  private Rendezvous(
      File outputDir,
      boolean mayLead,
      boolean mustLead,
      @Nullable String runId,
      LazySettings settings,
      Consumer<String> warn,
      Consumer<String> info) {
    this.outputDir = outputDir;
    this.settings = settings;
    this.tracesDir = new File(outputDir, "traces");
    this.mayLead = mayLead;
    this.run = new RunIdentity(outputDir, runId != null && !mayLead, warn);
    this.warn = warn;
    this.info = info;
    this.file = new DriverFile(tracesDir, warn, info);
    this.election = new DriverElection(this, lock, file, tracesDir, mayLead, mustLead, runId, warn);
    this.runBytes = new AgreedRunBytes(this, lock, file, outputDir);
  }

  /** For a process that may never need its collector: no socket listens before it has started. */
  public void listenWhenItCollects() {
    listensAtOnce = false;
  }

  /** Reports problems of the collector's settings now, if this process may have to start it. */
  public void readSettings() {
    if (mayLead) {
      settings.get();
    }
  }

  /**
   * The id of this process's run; determines the driver. If neither the environment nor a driver
   * nor a call has set it so far, it is random.
   */
  public String runId() {
    String known = knownRunId();
    if (known != null) {
      return known;
    }
    String drivers;
    synchronized (lock) {
      drivers = file.runId(); // which may have started since
    }
    return run.decideNow(drivers);
  }

  /** The same; null while a call may still determine it. */
  public @Nullable String knownRunId() {
    String known = run.known();
    if (known == null && !election.isOver()) {
      synchronized (lock) {
        joinOnce();
      }
      known = run.known();
    }
    return known;
  }

  /**
   * The run id that this process passes on with its calls; null before it takes part in a run. Read
   * with each call.
   */
  public @Nullable String runIdForCalls() {
    String known = run.known();
    return known != null || !election.isOver() ? known : runId();
  }

  /** Whether a text may be the id of a run that is sent or received with a call. */
  public static boolean isRunIdOfCalls(String text) {
    return RunIdentity.mayTravel(text);
  }

  /**
   * A call has come from a process of a run. If this process's run is undetermined, it becomes this
   * one. A different run is logged once.
   *
   * @return whether further calls can tell more
   */
  public boolean received(String callersRunId) {
    return run.received(callersRunId);
  }

  /**
   * How much the run may write; one object for the whole process. In a run that another process has
   * begun, it follows that process, which may have had other settings. Lists the directory: not for
   * the application's threads.
   */
  public RunBytes runBytes() {
    return runBytes.get();
  }

  /** Less data is left from before the run. */
  void removed(long lineBytes) {
    runBytes.removed(lineBytes);
  }

  /** Tells the other processes, if this one is the driver. Under the lock. */
  void publish() {
    String id = run.known();
    if (file.isLocked() && id != null) {
      file.publish(id, runBytes.terms(), driver == null ? null : driver.announced());
    }
  }

  /** What the user has set; a worker follows its driver once there is one. */
  @Nullable Long givenRunBytes() {
    return settings.runBytes(!mayLead);
  }

  /** Whether this process is the driver. */
  public boolean isDriver() {
    return driver() != null;
  }

  private @Nullable DriverCollector driver() {
    synchronized (lock) {
      joinOnce();
      return file.isLocked() ? driver : null;
    }
  }

  /**
   * The run's collector; started if that is this process's role. Null if there is none now; try
   * again later. May take a while, so do not call it on the thread of a traced call.
   */
  public @Nullable Collector collector() {
    DriverCollector ours = driver();
    if (ours != null) {
      return ours.collector();
    }
    synchronized (lock) {
      return file.collector();
    }
  }

  /**
   * The collector of a process that does nothing else.
   *
   * @throws IOException if there is none, with the reason, which is not logged
   */
  public Collector collectorAlone() throws IOException {
    DriverCollector ours = driver();
    if (ours == null) {
      throw new IOException("no process can lock a file in " + tracesDir);
    }
    return ours.collectorAlone();
  }

  /**
   * A description of the process that collects instead of this one; null if there is no collector.
   */
  public @Nullable String otherDriver() {
    synchronized (lock) {
      joinOnce();
      return file.isHeldByAnother() ? file.holder() : null;
    }
  }

  /**
   * The counts of this process's collector, also after {@link #close}, in one line; empty if there
   * was none.
   */
  public String summary() {
    synchronized (lock) {
      return driver == null ? "" : driver.summary();
    }
  }

  /**
   * The variables for processes that do not inherit this one's environment: the run's id and, if
   * the collector is reachable from other hosts, its address. May start the collector.
   *
   * @return environment variables and their values
   */
  public Map<String, String> forWorkers() {
    Map<String, String> variables = new HashMap<>();
    variables.put("ROLL_OTEL_RUN_ID", runId());
    Collector reachable = settings.get().host().isLoopbackAddress() ? null : collector();
    if (reachable != null) {
      variables.putAll(WorkerEnvironment.endpoint(reachable.endpoint(), reachable.token()));
    }
    return variables;
  }

  /**
   * The collector's address for workers on other hosts. From now on, it also listens on this
   * address of the driver's host, unless the user has set an address. Does not wait until it has
   * started.
   *
   * @return environment variables and their values; none if nobody collects here
   */
  public Map<String, String> forWorkersReaching(InetAddress address) {
    if (settings.hasHost() || address.isLoopbackAddress()) {
      return Map.of();
    }
    DriverCollector ours = driver();
    return ours == null ? Map.of() : ours.reachableAt(address);
  }

  /**
   * The variables for child processes in any language. May start the collector, and then waits for
   * it.
   */
  public WorkerEnvironment workerEnvironment() {
    Collector reachable = collector();
    return new WorkerEnvironment(runId(), reachable, outputDir);
  }

  /** The own file of a process that cannot deliver, named like its recorder file. */
  public File ownFile(String process) {
    return new File(tracesDir, ProcessFileName.of(process) + ".jsonl");
  }

  /**
   * Stops the collector, if it runs here, and leaves the lock to the next run. A process that has
   * not joined by then does not become the driver any more. Does not wait for a collector that is
   * just starting: the thread that starts it also ends it.
   */
  @Override
  public void close() {
    election.withdraw();
    DriverCollector ours;
    synchronized (lock) {
      ours = driver;
    }
    if (ours != null) {
      ours.close();
    }
    synchronized (lock) {
      file.close();
    }
  }

  /** Determines whether this process leads or follows. Under the lock. */
  void joinOnce() {
    election.decideOnce();
  }

  /**
   * This process is the driver. Under the lock; again if memory was too short the last time.
   *
   * @param runId null if the driver makes one
   */
  void lead(@Nullable String runId) {
    DriverCollector ours = driver;
    if (ours == null) {
      ours =
          new DriverCollector(
              this, lock, file, outputDir, settings.get(), new DaemonThreads("socket"), warn, info);
      driver = ours;
    }
    run.decide(runId != null ? runId : SystemRandom.hex(8));
    if (listensAtOnce) {
      ours.listen();
    }
    publish();
  }

  /** This process is a worker in this run. */
  void follow(String runId) {
    run.decide(runId);
  }
}
