package io.rollotel.traces.collector;

import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.file.ProcessFileName;
import io.rollotel.traces.file.Retention;
import io.rollotel.traces.file.RunBytes;
import io.rollotel.traces.file.TracesWriter;
import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.Signal;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
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

  /** The file for recovered spans that cannot be sent to otelcol; its name sorts last. */
  private static final String RECOVERED = "~recovered.jsonl";

  /**
   * How long to wait for another thread's start: otelcol may take fifteen seconds, and so may the
   * embedded one.
   */
  private static final long START_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(40);

  /** How long to wait at the end for a running sweep; the next driver does the rest. */
  private static final long SWEEP_PATIENCE_MILLIS = 2_000;

  /** The time between two checks of a driver that its lock and its address still exist. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The time between two checks for old runs to remove. */
  private static final long RETENTION_NANOS = TimeUnit.MINUTES.toNanos(5);

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

  /** Held while the files of dead processes are swept; no thread waits for it for long. */
  private final ReentrantLock sweeps = new ReentrantLock();

  private volatile boolean closed;

  /** Created only by {@link #begin}. */
  private volatile @Nullable RunBytes runBytes;

  private final RunIdentity run = new RunIdentity();
  private volatile boolean hasJoined;
  private volatile boolean isInvented;
  private volatile boolean hasWarnedOfCalls;

  // Guarded by this lock. No thread holds it while a collector starts or stops, or during a sweep,
  // since the end of the process waits for it.
  private final DriverFile file;
  private long termsReadNanos;
  private @Nullable String token;
  private String closedSummary = "";

  private volatile boolean listensAtOnce = true;

  /** The announced collector; its sockets listen before it has started. */
  private @Nullable Collector announced;

  private @Nullable Sockets sockets;

  /** For workers on other hosts. */
  private @Nullable Sockets ofNode;

  private @Nullable Collector collector;
  private @Nullable EmbeddedCollector embedded;
  private @Nullable OtelcolProcess otelcol;
  private boolean isStarting;
  private boolean startFailed;

  /** Of the thread that starts it. */
  private volatile boolean hasWarnedOfStart;

  private volatile @Nullable IOException startFailure;

  /** Whether a caller waits for {@link #startFailure}. */
  private volatile boolean isAlone;

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
    synchronized (this) {
      drivers = file.runId(); // which may have started since
    }
    String said = drivers != null ? drivers : run.ofCalls();
    isInvented = said == null;
    return run.decide(said != null ? said : randomText(8));
  }

  /** The same; null while a call may still determine it. */
  public @Nullable String knownRunId() {
    String known = run.known();
    if (known == null && !hasJoined) {
      joinOnce();
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

  private synchronized RunBytes begin(RunBytes.Terms ours) {
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

  /** Tells the others, if this process is the driver. Under the lock. */
  private void publish() {
    String id = run.known();
    if (file.isLocked() && id != null) {
      RunBytes ours = runBytes;
      file.publish(id, ours == null ? null : ours.terms(), announced);
    }
  }

  /** Another run may have begun, or its driver may have determined them only now. */
  private synchronized void followDriver(RunBytes known) {
    if (!file.isLocked() && System.nanoTime() - termsReadNanos > LOOK_NANOS) {
      termsReadNanos = System.nanoTime();
      RunBytes.Terms drivers = file.terms();
      if (drivers != null) {
        known.follow(drivers);
      }
    }
  }

  /** A worker reads no other settings of the collector, and reports problems of no others. */
  private @Nullable Long givenRunBytes() {
    return mayLead || values == null
        ? settings().runBytes()
        : CollectorSettings.readRunBytes(values, warn);
  }

  /** Whether this process is the driver. */
  public synchronized boolean isDriver() {
    joinOnce();
    return file.isLocked();
  }

  /**
   * The run's collector; started if that is this process's role. Null if there is none now; try
   * again later. May take a while, so do not call it on the thread of a traced call.
   */
  public @Nullable Collector collector() {
    String secret;
    synchronized (this) {
      joinOnce();
      if (!file.isLocked()) {
        return file.collector();
      }
      awaitStart();
      secret = token;
      if (collector != null || startFailed || isStarting || closed || secret == null) {
        return collector;
      }
      isStarting = true;
    }
    return start(secret);
  }

  /**
   * The collector of a process that does nothing else.
   *
   * @throws IOException if there is none, with the reason, which is not logged
   */
  public Collector collectorAlone() throws IOException {
    isAlone = true;
    Collector started = isDriver() ? collector() : null;
    if (started == null) {
      IOException failure = startFailure;
      throw failure == null ? new IOException("nobody can lock a file in " + tracesDir) : failure;
    }
    return started;
  }

  /**
   * A description of the process that collects instead of this one; null if there is no collector.
   */
  public synchronized @Nullable String otherDriver() {
    joinOnce();
    return file.isHeldByAnother() ? file.holder() : null;
  }

  /** Waits, without the lock, for the thread that starts the collector. */
  private synchronized void awaitStart() {
    long deadlineNanos = System.nanoTime() + START_PATIENCE_NANOS;
    boolean interrupted = false;
    while (isStarting && !closed) {
      long leftNanos = deadlineNanos - System.nanoTime();
      if (leftNanos <= 0) {
        break;
      }
      try {
        TimeUnit.NANOSECONDS.timedWait(this, leftNanos);
      } catch (InterruptedException e) {
        interrupted = true; // the application's interrupt, restored below
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * The counts of this process's collector, also after {@link #close}, in one line; empty if there
   * was none.
   */
  public synchronized String summary() {
    return embedded == null ? closedSummary : embedded.summary();
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
    Sockets open = listenOn(address);
    String secret = open == null ? null : token();
    return open == null || secret == null
        ? Map.of()
        : WorkerEnvironment.endpoint(open.endpoint(), secret);
  }

  private synchronized @Nullable String token() {
    return token;
  }

  private synchronized @Nullable Sockets listenOn(InetAddress address) {
    joinOnce();
    Sockets known = ofNode;
    if (known != null && known.http().address().getAddress().equals(address)) {
      return known; // the program has begun another job
    }
    boolean isOurs = embedded != null || sockets != null;
    if (!file.isLocked() || !isOurs || closed || known != null) {
      return null;
    }
    try {
      Sockets open = Sockets.listen(settings().at(address));
      ofNode = open;
      if (embedded != null) {
        embedded.serve(open);
      }
      info.accept("this process collects at " + open.endpoint() + " as well");
      return open;
    } catch (IOException | RuntimeException e) {
      warn.accept(e.getMessage() + ": workers on other hosts do not reach the collector");
      return null;
    }
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
    synchronized (this) {
      notifyAll();
    }
    sweep(SWEEP_PATIENCE_MILLIS);
    EmbeddedCollector here;
    OtelcolProcess beside;
    List<Sockets> unused;
    synchronized (this) {
      unused = embedded == null ? takeSockets() : List.of(); // the collector closes its own
      here = embedded;
      beside = otelcol;
      startFailed |= here != null || beside != null; // too late for another
      embedded = null;
      otelcol = null;
      collector = null;
    }
    unused.forEach(Sockets::close);
    if (here != null) {
      here.close();
      synchronized (this) {
        closedSummary = here.summary();
      }
      info.accept("collector stopped: " + here.summary() + "; " + tracesDir);
    }
    if (beside != null) {
      beside.close();
      info.accept("otelcol stopped; " + tracesDir);
    }
    synchronized (this) {
      file.close();
    }
  }

  private synchronized void joinOnce() {
    if (!hasJoined) {
      join();
      hasJoined = true;
    }
  }

  private void join() {
    long deadlineNanos = System.nanoTime() + RUN_ID_PATIENCE_NANOS;
    boolean interrupted = false;
    try {
      while (true) {
        if (mayLead && !closed && file.tryLock()) {
          String id = givenRunId != null ? givenRunId : randomText(8);
          String given = settings().token();
          String secret = given != null ? given : randomText(16);
          token = secret;
          run.decide(id);
          listen(secret);
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
          wait(10);
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

  /**
   * Listens now, so that the announced address is complete from the start; the system queues
   * connections until there is a collector. Failures are reported when it starts.
   */
  private void listen(String secret) {
    if (!listensAtOnce || settings().kind() != CollectorSettings.Kind.EMBEDDED) {
      return;
    }
    try {
      Sockets open = Sockets.listen(settings());
      sockets = open;
      announced = new Collector(open.endpoint(), secret, null, open.grpcEndpoint());
    } catch (IOException | RuntimeException e) {
      sockets = null;
    }
  }

  private @Nullable Collector start(String secret) {
    Sockets open;
    synchronized (this) {
      open = sockets;
    }
    OtelcolProcess beside = null;
    EmbeddedCollector here = null;
    boolean isPassing = true;
    Collector started = null;
    try {
      if (!settings().kept().isNone() && settings().kind() != CollectorSettings.Kind.NONE) {
        Retention.beginRun(outputDir.toPath(), warn);
      }
      beside = startOtelcol();
      if (beside == null && settings().kind() != CollectorSettings.Kind.NONE) {
        CollectorSettings ofRun = settings().within(runBytes());
        here =
            open == null
                ? EmbeddedCollector.start(outputDir, secret, ofRun, warn)
                : EmbeddedCollector.start(outputDir, secret, ofRun, open, warn);
      }
      isPassing = false;
      if (here == null && beside == null) {
        info.accept("no collector, as was set: spans go to processes' own files in " + tracesDir);
      }
    } catch (IOException e) {
      // Caused by a lack of memory, which may pass.
      isPassing = e.getCause() instanceof VirtualMachineError;
      warnOfStart(e, isPassing);
    } finally {
      started = finishStart(secret, here, beside, isPassing);
    }
    if (started != null) {
      info.accept("this process collects: " + started.endpoint() + " -> " + tracesDir);
      if (here != null && settings().page().isServed()) {
        info.accept(
            "the run is shown at "
                + started.endpoint()
                + "/ (add ?token= and the token in traces/.driver if you set one or look from"
                + " another host)");
      }
      startKeeping();
      sweep(0);
      removeOldRuns();
    } else {
      end(here, beside); // everything has ended meanwhile
    }
    return started;
  }

  /** Without the thread, the files stay deleted, which does not affect existing processes. */
  private void startKeeping() {
    Thread thread = new Thread(null, this::keepFiles, "roll-otel-driver", 0, false);
    thread.setContextClassLoader(null);
    thread.setDaemon(true);
    try {
      thread.start();
    } catch (OutOfMemoryError noThreadLeft) {
      info.accept("the lock and the address in " + tracesDir + " will not be looked after");
    }
  }

  private void removeOldRuns() {
    if (settings().kept().isNone()) {
      return;
    }
    OldRuns old =
        new OldRuns(
            new Retention(outputDir.toPath(), settings().kept(), warn),
            this::runId,
            outputDir.toString(),
            this::removed,
            warn);
    Thread thread = new Thread(null, () -> removeOldRuns(old), "roll-otel-retention", 0, false);
    thread.setContextClassLoader(null);
    thread.setDaemon(true);
    try {
      thread.start();
    } catch (OutOfMemoryError noThreadLeft) {
      warn.accept("old runs in " + outputDir + " are not removed: " + noThreadLeft);
    }
  }

  private void removeOldRuns(OldRuns old) {
    try {
      while (!closed) {
        old.remove();
        synchronized (this) {
          if (!closed) {
            TimeUnit.NANOSECONDS.timedWait(this, RETENTION_NANOS);
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // this thread should end
    }
  }

  /** Less data is left from before the run; otherwise the run would seem to have added less. */
  private void removed(long lineBytes) {
    RunBytes known = runBytes();
    RunBytes.Terms terms = known.terms();
    known.follow(new RunBytes.Terms(Math.max(0, terms.startBytes() - lineBytes), terms.given()));
    synchronized (this) {
      publish();
    }
  }

  /** Accesses the file system, which may hang, without the lock. */
  private void keepFiles() {
    try {
      while (!closed) {
        file.keep();
        synchronized (this) {
          if (!closed) {
            TimeUnit.NANOSECONDS.timedWait(this, LOOK_NANOS);
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // this thread should end
    }
  }

  private void warnOfStart(IOException e, boolean isPassing) {
    startFailure = e;
    if (isAlone) {
      return;
    }
    if (!isPassing || !hasWarnedOfStart) {
      hasWarnedOfStart = true;
      warn.accept(
          "the collector cannot start ("
              + e
              + "): spans go to processes' own files"
              + (isPassing ? " until it can" : ""));
    }
  }

  /**
   * Announces the started collector; null if none has started, or everything has ended meanwhile.
   */
  private synchronized @Nullable Collector finishStart(
      String secret,
      @Nullable EmbeddedCollector here,
      @Nullable OtelcolProcess beside,
      boolean isPassing) {
    isStarting = false;
    notifyAll();
    Collector started = null;
    if (here != null) {
      started = new Collector(here.endpoint(), secret, here::append, here.grpcEndpoint());
    } else if (beside != null) {
      // It does not support tokens.
      started = new Collector(beside.endpoint(), "", null, beside.grpcEndpoint());
    }
    startFailed |= started == null && !isPassing;
    if (started == null && startFailed && !closed) {
      announced = null;
      publish(); // first, because nothing may connect to a closed collector
      takeSockets().forEach(Sockets::close);
    }
    if (started == null || closed) {
      return null;
    }
    embedded = here;
    if (here != null && ofNode != null) {
      serve(here, ofNode);
    }
    otelcol = beside;
    token = started.token();
    collector = started;
    announced = started;
    publish();
    return started;
  }

  private void serve(EmbeddedCollector here, Sockets more) {
    try {
      here.serve(more);
    } catch (IOException e) {
      warn.accept("requests cannot be served at " + more.endpoint() + ": " + e.getMessage());
    }
  }

  /** The sockets that listen without a collector. Under the lock. */
  private List<Sockets> takeSockets() {
    List<Sockets> taken = Stream.of(sockets, ofNode).filter(Objects::nonNull).toList();
    sockets = null;
    ofNode = null;
    return taken;
  }

  private static void end(@Nullable EmbeddedCollector here, @Nullable OtelcolProcess beside) {
    if (here != null) {
      here.close();
    }
    if (beside != null) {
      beside.close();
    }
  }

  /**
   * Sweeps the files of dead processes while a collector here can take them.
   *
   * @param patienceMillis how long to wait for another thread's sweep
   */
  private void sweep(long patienceMillis) {
    EmbeddedCollector writing;
    synchronized (this) {
      writing = embedded;
      if (writing == null && otelcol == null) {
        return;
      }
    }
    try {
      // First without waiting, because an interrupt would end a wait at once.
      if (!sweeps.tryLock() && !sweeps.tryLock(patienceMillis, TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    try {
      Sweep.Appender appender =
          writing != null
              ? request -> writing.append(Signal.TRACES, request)
              : this::appendBesideOtelcol;
      new Sweep(outputDir.toPath(), this::ownFile, appender, info).run();
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      if (!closed) { // otherwise the next driver recovers them
        warn.accept("what dead processes left in " + outputDir + " is not recovered: " + e);
      }
    } finally {
      sweeps.unlock();
    }
  }

  /** A file has one writer, and otelcol writes its own. */
  private void appendBesideOtelcol(byte[] request) throws IOException {
    File recovered = new File(tracesDir, RECOVERED);
    FileRules rules = FileRules.DEFAULT.within(runBytes());
    try (TracesWriter writer = TracesWriter.open(recovered, Signal.TRACES, rules)) {
      writer.write(request, 0, request.length);
    } catch (MalformedRequestException e) {
      throw new IOException(e);
    }
  }

  /** Starts otelcol if the settings ask for it; null to use the embedded collector. */
  private @Nullable OtelcolProcess startOtelcol() throws IOException {
    boolean isWanted = settings().kind() == CollectorSettings.Kind.OTELCOL;
    if (!isWanted && settings().kind() != CollectorSettings.Kind.AUTO) {
      return null;
    }
    File binary = OtelcolBinary.find();
    if (binary == null) {
      if (isWanted) {
        throw new IOException("neither otelcol-contrib nor otelcol is on the PATH");
      }
      return null;
    }
    try {
      return OtelcolProcess.start(binary, outputDir, settings(), warn);
    } catch (IOException e) {
      if (isWanted) {
        throw e;
      }
      warn.accept(
          "otelcol cannot start; the embedded collector takes its place: " + e.getMessage());
      return null;
    }
  }

  private static String randomText(int bytes) {
    return HexFormat.of().formatHex(random(bytes));
  }

  /**
   * The system's randomness. Read directly if possible, because SecureRandom loads some hundred
   * classes of security providers.
   */
  public static byte[] random(int bytes) {
    try (InputStream in = new FileInputStream("/dev/urandom")) {
      byte[] random = in.readNBytes(bytes);
      if (random.length == bytes) {
        return random;
      }
    } catch (IOException notUnix) {
      // Below.
    }
    byte[] random = new byte[bytes];
    new SecureRandom().nextBytes(random);
    return random;
  }
}
