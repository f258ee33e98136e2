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
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The place where the processes of a run meet: the output directory. The process that takes the
 * lock there first is the driver: it names the run, runs the collector and writes its address
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

  /** The time between two looks of a worker at what its driver says of the run's size. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * How long a driver with the lock may take to write the run's id, which it normally does at once.
   */
  private static final long RUN_ID_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final File outputDir;
  private final File tracesDir;
  private final boolean mayLead;
  private final boolean mustLead;
  private final @Nullable String givenRunId;

  /** The source of {@link #settings}, which most workers never need. */
  private final Supplier<CollectorSettings> source;

  /** The user's settings; null if fixed settings were given. */
  private final @Nullable Function<String, @Nullable String> values;

  private volatile @Nullable CollectorSettings settings;
  private final Consumer<String> warn;
  private final Consumer<String> info;

  private volatile boolean closed;

  /** Created only by {@link #begin}. */
  private volatile @Nullable RunBytes runBytes;

  private final RunIdentity run = new RunIdentity();
  private volatile boolean hasJoined;
  private volatile boolean isInvented;
  private volatile boolean hasWarnedOfCalls;

  /**
   * Guards what follows, and the collector of a driver. No thread holds it while a collector starts
   * or stops, since the end of the process waits for it.
   */
  private final Object lock = new Object();

  private final DriverFile file;
  private long termsReadNanos;

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
    this(
        outputDir,
        mayLead,
        mustLead,
        runId,
        new Supplier<>() {
          @Override
          public CollectorSettings get() {
            return CollectorSettings.read(values, warn);
          }
        },
        values,
        warn,
        info);
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
    this(outputDir, mayLead, mustLead, runId, () -> settings, null, warn, info);
  }

  private Rendezvous(
      File outputDir,
      boolean mayLead,
      boolean mustLead,
      @Nullable String runId,
      Supplier<CollectorSettings> source,
      @Nullable Function<String, @Nullable String> values,
      Consumer<String> warn,
      Consumer<String> info) {
    this.values = values;
    this.outputDir = outputDir;
    this.source = source;
    this.tracesDir = new File(outputDir, "traces");
    this.mayLead = mayLead;
    this.mustLead = mustLead;
    this.givenRunId = runId;
    this.warn = warn;
    this.info = info;
    this.file = new DriverFile(tracesDir, warn, info);
  }

  /** For a process that may never need its collector: no socket listens before it has started. */
  public void listenWhenItCollects() {
    listensAtOnce = false;
  }

  /** Reports problems of the collector's settings now, if this process may have to start it. */
  public void readSettings() {
    if (mayLead) {
      settings();
    }
  }

  private CollectorSettings settings() {
    CollectorSettings known = settings;
    if (known == null) {
      known = source.get();
      settings = known;
    }
    return known;
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
    String said = drivers != null ? drivers : run.ofCalls();
    isInvented = said == null;
    return run.decide(said != null ? said : SystemRandom.hex(8));
  }

  /** The same; null while a call may still determine it. */
  public @Nullable String knownRunId() {
    String known = run.known();
    if (known == null && !hasJoined) {
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
    return known != null || !hasJoined ? known : runId();
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
    run.received(callersRunId);
    String known = run.known();
    if (known != null && !known.equals(callersRunId) && !hasWarnedOfCalls) {
      hasWarnedOfCalls = true;
      String line = "calls come from run " + callersRunId + ", but this process ";
      if (givenRunId != null && !mayLead) {
        warn.accept(line + "has ROLL_OTEL_RUN_ID=" + known + ": give it the sender's");
      } else if (!isInvented) { // otherwise the report joins them into one run
        warn.accept(
            line
                + "belongs to run "
                + known
                + " in "
                + outputDir
                + ": does the sender have the same ROLL_OTEL_OUTPUT_DIR?");
      }
    }
    return !hasWarnedOfCalls;
  }

  /**
   * How much the run may write; one object for the whole process. In a run that another process has
   * begun, it follows that process, which may have had other settings. Lists the directory: not for
   * the application's threads.
   */
  public RunBytes runBytes() {
    RunBytes known = runBytes;
    if (known == null) {
      return begin(RunBytes.begin(outputDir, givenRunBytes()));
    }
    followDriver(known);
    return known;
  }

  private RunBytes begin(RunBytes.Terms ours) {
    synchronized (lock) {
      joinOnce();
      RunBytes known = runBytes;
      if (known == null) {
        RunBytes.Terms drivers = file.isLocked() ? null : file.terms();
        known = RunBytes.ofRun(outputDir, drivers == null ? ours : drivers);
        runBytes = known;
        termsReadNanos = System.nanoTime();
        publish();
      }
      return known;
    }
  }

  /** Another run may have begun, or its driver may have determined them only now. */
  private void followDriver(RunBytes known) {
    synchronized (lock) {
      if (!file.isLocked() && System.nanoTime() - termsReadNanos > LOOK_NANOS) {
        termsReadNanos = System.nanoTime();
        RunBytes.Terms drivers = file.terms();
        if (drivers != null) {
          known.follow(drivers);
        }
      }
    }
  }

  /** Less data is left from before the run; otherwise the run would seem to have added less. */
  void removed(long lineBytes) {
    RunBytes known = runBytes();
    RunBytes.Terms terms = known.terms();
    known.follow(new RunBytes.Terms(Math.max(0, terms.startBytes() - lineBytes), terms.given()));
    synchronized (lock) {
      publish();
    }
  }

  /** Tells the other processes, if this one is the driver. Under the lock. */
  void publish() {
    String id = run.known();
    if (file.isLocked() && id != null) {
      RunBytes ours = runBytes;
      file.publish(
          id, ours == null ? null : ours.terms(), driver == null ? null : driver.announced());
    }
  }

  /** A worker reads no other settings of the collector, and reports problems of no others. */
  private @Nullable Long givenRunBytes() {
    return mayLead || values == null
        ? settings().runBytes()
        : CollectorSettings.readRunBytes(values, warn);
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
      throw new IOException("nobody can lock a file in " + tracesDir);
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
    Collector reachable = settings().host().isLoopbackAddress() ? null : collector();
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
    String host = values == null ? null : values.apply(CollectorTable.COLLECTOR_HOST.name());
    if (host != null || address.isLoopbackAddress()) {
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
    closed = true;
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

  /** Under the lock. */
  private void joinOnce() {
    if (!hasJoined) {
      join();
      hasJoined = true;
    }
  }

  private void join() {
    long deadlineNanos = System.nanoTime() + RUN_ID_PATIENCE_NANOS;
    boolean interrupted = false;
    try {
      while (!hasJoined) { // another thread may join during the wait
        // It has the lock already if memory was too short for the rest the last time.
        if (mayLead && !closed && (file.isLocked() || file.tryLock())) {
          DriverCollector ours = driver;
          if (ours == null) {
            ours = new DriverCollector(this, lock, file, outputDir, settings(), warn, info);
            driver = ours;
          }
          run.decide(givenRunId != null ? givenRunId : SystemRandom.hex(8));
          if (listensAtOnce) {
            ours.listen();
          }
          publish();
          return;
        }
        String id = givenRunId != null ? givenRunId : file.runId();
        if (id != null
            || !file.isHeldByAnother()
            || file.isDoubted()
            || System.nanoTime() >= deadlineNanos) {
          if (mustLead && file.isHeldByAnother()) {
            warn.accept("another process collects in " + tracesDir + ", this one is a worker");
          }
          if (id != null) {
            run.decide(id);
          }
          return;
        }
        // The driver is about to write it, or is ending.
        try {
          lock.wait(10);
        } catch (InterruptedException e) {
          interrupted = true; // the application's interrupt, restored below
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
