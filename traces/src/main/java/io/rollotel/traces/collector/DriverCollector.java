package io.rollotel.traces.collector;

import io.rollotel.traces.file.Retention;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The collector that a driver runs: its sockets, its start and its end. Any thread. */
final class DriverCollector {

  /**
   * How long to wait for another thread's start: otelcol may take fifteen seconds, and so may the
   * embedded one.
   */
  private static final long START_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(40);

  /** How long to wait at the end for a running sweep; the next driver does the rest. */
  private static final long SWEEP_PATIENCE_MILLIS = 2_000;

  private final Rendezvous run;
  private final File outputDir;
  private final File tracesDir;
  private final CollectorSettings settings;
  private final ThreadFactory threads;
  private final Consumer<String> warn;
  private final Consumer<String> info;
  private final Upkeep upkeep;

  private volatile boolean closed;

  /**
   * The lock of the rendezvous, which guards what follows. No thread holds it while a collector
   * starts or stops, or during a sweep, since the end of the process waits for it.
   */
  private final Object lock;

  private String token;
  private String closedSummary = "";

  /** The announced collector; its sockets listen before it has started. */
  private Rendezvous.@Nullable Collector announced;

  private @Nullable Sockets sockets;

  /** For workers on other hosts. */
  private @Nullable Sockets ofNode;

  private Rendezvous.@Nullable Collector collector;
  private @Nullable EmbeddedCollector embedded;
  private @Nullable OtelcolProcess otelcol;
  private boolean isStarting;
  private boolean startFailed;

  /** After a start for which there was no memory or no thread. */
  private final StartPause pause = new StartPause();

  /** Of the thread that starts it. */
  private volatile boolean hasWarnedOfStart;

  private volatile @Nullable IOException startFailure;

  /** Whether a caller waits for {@link #startFailure}. */
  private volatile boolean isAlone;

  /**
   * The collector of a driver, which has not started.
   *
   * @param run tells the run's id and how much it may write, and publishes the collector's address
   * @param lock the lock of {@code run}
   * @param file the lock in the output directory, which this process holds
   * @param threads makes those that wait for connections
   * @param warn receives lines that the user should see
   * @param info receives lines about actions
   */
  DriverCollector(
      Rendezvous run,
      Object lock,
      DriverFile file,
      File outputDir,
      CollectorSettings settings,
      ThreadFactory threads,
      Consumer<String> warn,
      Consumer<String> info) {
    this.run = run;
    this.lock = lock;
    this.outputDir = outputDir;
    this.tracesDir = new File(outputDir, "traces");
    this.settings = settings;
    this.threads = threads;
    this.warn = warn;
    this.info = info;
    String given = settings.token();
    this.token = given != null ? given : SystemRandom.hex(16);
    this.upkeep = new Upkeep(run, file, outputDir, settings.kept(), warn, info);
  }

  /**
   * Listens now, so that the announced address is complete from the start; the system queues
   * connections until there is a collector. Failures are reported when it starts. Under the lock.
   */
  void listen() {
    if (sockets != null || settings.kind() != CollectorSettings.Kind.EMBEDDED) {
      return;
    }
    try {
      Sockets open = Sockets.listen(settings);
      sockets = open;
      announced = new Rendezvous.Collector(open.endpoint(), token, null, open.grpcEndpoint());
    } catch (IOException | RuntimeException e) {
      sockets = null;
    }
  }

  /** What other processes should know of it; null if they should not connect. Under the lock. */
  Rendezvous.@Nullable Collector announced() {
    return announced;
  }

  /** Starts it if necessary; null if there is none now. */
  Rendezvous.@Nullable Collector collector() {
    String secret;
    synchronized (lock) {
      awaitStart();
      secret = token;
      if (collector != null || startFailed || isStarting || closed || pause.lasts()) {
        return collector;
      }
      isStarting = true;
    }
    return start(secret);
  }

  /**
   * The same for a process that does nothing else.
   *
   * @throws IOException if there is none, with the reason, which is not logged
   */
  Rendezvous.Collector collectorAlone() throws IOException {
    isAlone = true;
    Rendezvous.Collector started = collector();
    if (started == null) {
      IOException failure = startFailure;
      throw failure == null ? new IOException("there is no collector") : failure;
    }
    return started;
  }

  /** Waits, without the lock, for the thread that starts the collector. */
  private void awaitStart() {
    long deadlineNanos = System.nanoTime() + START_PATIENCE_NANOS;
    boolean interrupted = false;
    synchronized (lock) {
      while (isStarting && !closed) {
        long leftNanos = deadlineNanos - System.nanoTime();
        if (leftNanos <= 0) {
          break;
        }
        try {
          TimeUnit.NANOSECONDS.timedWait(lock, leftNanos);
        } catch (InterruptedException e) {
          interrupted = true; // the application's interrupt, restored below
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private Rendezvous.@Nullable Collector start(String secret) {
    OtelcolProcess beside = null;
    EmbeddedCollector here = null;
    boolean isPassing = true;
    Rendezvous.Collector started = null;
    try {
      Sockets open;
      synchronized (lock) {
        open = openSockets();
      }
      if (!settings.kept().isNone() && settings.kind() != CollectorSettings.Kind.NONE) {
        Retention.beginRun(outputDir.toPath(), warn);
      }
      beside = OtelcolProcess.startIfWanted(outputDir, settings, warn);
      if (beside == null && settings.kind() != CollectorSettings.Kind.NONE) {
        CollectorSettings ofRun = settings.within(run.runBytes());
        here =
            open == null
                ? EmbeddedCollector.start(outputDir, secret, ofRun, warn)
                : EmbeddedCollector.start(outputDir, secret, ofRun, open, threads, warn);
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
      if (here != null && settings.page().isServed()) {
        info.accept(
            "the run is shown at "
                + started.endpoint()
                + "/ (add ?token= and the token in traces/.driver if you set one or look from"
                + " another host)");
      }
      upkeep.keepFiles();
      sweep(0);
      upkeep.removeOldRuns();
    } else {
      end(here, beside); // everything has ended meanwhile
    }
    return started;
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
  private Rendezvous.@Nullable Collector finishStart(
      String secret,
      @Nullable EmbeddedCollector here,
      @Nullable OtelcolProcess beside,
      boolean isPassing) {
    synchronized (lock) {
      isStarting = false;
      lock.notifyAll();
      Rendezvous.Collector started = null;
      if (here != null) {
        started =
            new Rendezvous.Collector(here.endpoint(), secret, here::append, here.grpcEndpoint());
      } else if (beside != null) {
        // It does not support tokens.
        started = new Rendezvous.Collector(beside.endpoint(), "", null, beside.grpcEndpoint());
      }
      startFailed |= started == null && !isPassing;
      if (started == null && isPassing && !closed) {
        pause.begin();
      }
      if (started == null && startFailed && !closed) {
        announced = null;
        run.publish(); // first, because nothing may connect to a closed collector
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
      run.publish();
      return started;
    }
  }

  /**
   * The announced sockets. A failed start has closed them: until the next one, workers write their
   * own files and do not wait for an answer. Under the lock.
   */
  private @Nullable Sockets openSockets() {
    Sockets known = sockets;
    if (known != null && known.http().isClosed()) {
      sockets = null;
      try {
        sockets = known.again();
      } catch (IOException | RuntimeException taken) {
        // The start opens others, and announces them.
      }
    }
    return sockets;
  }

  private void serve(EmbeddedCollector here, Sockets more) {
    try {
      here.serve(more);
    } catch (IOException e) {
      warn.accept("requests cannot be served at " + more.endpoint() + ": " + e.getMessage());
    }
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
   * From now on, the collector also listens on this address of the host. Does not wait until it has
   * started.
   *
   * @return the environment variables for workers that reach this address; none if nobody collects
   *     here
   */
  Map<String, String> reachableAt(InetAddress address) {
    synchronized (lock) {
      Sockets open = listenOn(address);
      return open == null ? Map.of() : WorkerEnvironment.endpoint(open.endpoint(), token);
    }
  }

  /** Under the lock. */
  private @Nullable Sockets listenOn(InetAddress address) {
    Sockets known = ofNode;
    if (known != null && known.http().address().getAddress().equals(address)) {
      return known; // the program has begun another job
    }
    if ((embedded == null && sockets == null) || closed || known != null) {
      return null;
    }
    try {
      Sockets open = Sockets.listen(settings.at(address));
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

  /** The sockets that listen without a collector. Under the lock. */
  private List<Sockets> takeSockets() {
    List<Sockets> taken = Stream.of(sockets, ofNode).filter(Objects::nonNull).toList();
    sockets = null;
    ofNode = null;
    return taken;
  }

  /** Sweeps the files of dead processes while a collector here can take them. */
  private void sweep(long patienceMillis) {
    EmbeddedCollector writing;
    synchronized (lock) {
      writing = embedded;
      if (writing == null && otelcol == null) {
        return;
      }
    }
    upkeep.sweep(writing, patienceMillis);
  }

  /** The counts of the embedded collector in one line, also after the end; empty without one. */
  String summary() {
    synchronized (lock) {
      return embedded == null ? closedSummary : embedded.summary();
    }
  }

  /**
   * Stops the collector. Does not wait for one that is just starting: the thread that starts it
   * also ends it.
   */
  void close() {
    closed = true;
    synchronized (lock) {
      lock.notifyAll();
    }
    upkeep.close();
    sweep(SWEEP_PATIENCE_MILLIS);
    EmbeddedCollector here;
    OtelcolProcess beside;
    List<Sockets> unused;
    synchronized (lock) {
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
      synchronized (lock) {
        closedSummary = here.summary();
      }
      info.accept("collector stopped: " + here.summaryOfDriver() + "; " + tracesDir);
    }
    if (beside != null) {
      beside.close();
      info.accept("otelcol stopped; " + tracesDir);
    }
  }
}
