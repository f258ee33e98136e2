package io.rollotel.it;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.rollotel.annotations.Register;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.ObjectName;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;

/**
 * Work whose nature is known, for the profile to find. Prints its own measurements where the
 * outcome cannot be planned.
 */
@SuppressWarnings("roll-otel:no-carrier")
public final class ProfiledProgram {

  private static final Object LOCK = new Object();
  private static final long MILLI = 1_000_000;

  /**
   * Four of them are not a multiple of a sampling period; otherwise samples would always find the
   * same one.
   */
  private static final long PART_NANOS = 9_700_000;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static volatile double sink;
  private static volatile byte[] garbage = new byte[0];

  /** What the tasks of spans did, measured by themselves. */
  private static final AtomicLong BURNT_NANOS = new AtomicLong();

  /** The time in which they did it. */
  private static final AtomicLong BURNING_NANOS = new AtomicLong();

  private static final AtomicLong NAPPED_NANOS = new AtomicLong();

  private ProfiledProgram() {}

  /** Takes what to do, and its argument. */
  public static void main(String[] arguments) throws Exception {
    warmUp();
    switch (arguments[0]) {
      case "methods" -> methods();
      case "lock" -> lock();
      case "gc" -> gc();
      case "socket" -> socket();
      case "sleep" -> sleeping();
      case "doze" -> dozing();
      case "file" -> file(Path.of(arguments[1]), new byte[64 << 20]);
      case "pool" -> pool();
      case "future" -> future().get();
      case "virtual" -> virtualThreads();
      case "zone" -> {
        TimeZone.setDefault(TimeZone.getTimeZone("Etc/GMT+12")); // the names of chunks go back
        beginChunk();
        sleeping();
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
      }
      case "move" -> {
        moveRepository(arguments[1]);
        beginChunk();
        sleeping();
      }
      case "fill" -> {
        Files.write(Path.of(arguments[1]), new byte[28 << 20]);
        Thread.sleep(1_000); // the agent looks four times a second
        sleeping();
      }
      case "stopped" -> {
        FlightRecorder.getFlightRecorder().getRecordings().forEach(Recording::close);
        sleeping();
      }
      case "forever" -> {
        System.out.println("= ready");
        while (true) {
          sleeping();
        }
      }
      default -> throw new IllegalArgumentException(arguments[0]);
    }
    Thread.sleep(1_100); // so that the last second of processor times is recorded
  }

  /** Flight Recorder begins with the first traced call, a moment after it. */
  @Register(trace = true)
  private static void warmUp() throws InterruptedException {
    long endNanos = System.nanoTime() + 60_000 * MILLI;
    while (!Boolean.getBoolean("profile.none") && !isRecording() && System.nanoTime() < endNanos) {
      Thread.sleep(50);
    }
    Thread.sleep(1_500);
  }

  private static boolean isRecording() {
    return FlightRecorder.isInitialized()
        && FlightRecorder.getFlightRecorder().getRecordings().stream()
            .filter(recording -> recording.getName().equals("roll-otel"))
            .anyMatch(recording -> recording.getState() == RecordingState.RUNNING);
  }

  private static void beginChunk() {
    try (Recording other = new Recording()) {
      other.start();
    }
  }

  /** As {@code jcmd <pid> JFR.configure} does. */
  private static void moveRepository(String directory) throws Exception {
    ManagementFactory.getPlatformMBeanServer()
        .invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"),
            "jfrConfigure",
            new Object[] {new String[] {"repositorypath=" + directory}},
            new String[] {String[].class.getName()});
  }

  @Register(trace = true)
  private static void methods() {
    long endNanos = System.nanoTime() + 6_000 * MILLI;
    while (System.nanoTime() < endNanos) {
      threeParts();
      onePart();
    }
  }

  private static void threeParts() {
    burn(3 * PART_NANOS);
  }

  private static void onePart() {
    burn(PART_NANOS);
  }

  private static void burn(long nanos) {
    long endNanos = System.nanoTime() + nanos;
    double sum = sink;
    while (System.nanoTime() < endNanos) {
      for (int i = 1; i < 200; i++) {
        sum += Math.sqrt(sum + i) / i;
      }
    }
    sink = sum;
  }

  /** 60 % of the time another thread has the lock. */
  @Register(trace = true)
  private static void lock() throws Exception {
    for (int i = 0; i < 20; i++) {
      CountDownLatch locked = new CountDownLatch(1);
      Thread holder = new Thread(() -> holdLock(locked));
      holder.start();
      locked.await();
      synchronized (LOCK) {
        sink = i;
      }
      Thread.sleep(40);
      holder.join();
    }
  }

  private static void holdLock(CountDownLatch locked) {
    synchronized (LOCK) {
      locked.countDown();
      try {
        Thread.sleep(60);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Collections for about 30 % of the time. */
  @Register(trace = true)
  private static void gc() throws InterruptedException {
    List<byte[]> alive = new ArrayList<>();
    for (int i = 0; i < 60_000; i++) {
      alive.add(new byte[1_000]);
    }
    long startNanos = System.nanoTime();
    long before = collectionMillis();
    for (int i = 0; i < 30; i++) {
      long collected = collectionMillis();
      for (int j = 0; j < 200; j++) {
        garbage = new byte[100_000];
      }
      System.gc();
      Thread.sleep(Math.max(10, (collectionMillis() - collected) * 7 / 3));
    }
    long tookNanos = System.nanoTime() - startNanos;
    say("gc-pause", (double) (collectionMillis() - before) * MILLI / tookNanos);
    sink = alive.size();
  }

  private static long collectionMillis() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionTime)
        .sum();
  }

  private static void say(String activity, double share) {
    System.out.println(activity + " " + share);
  }

  /** A server that answers after 200 ms. */
  private static void socket() throws Exception {
    try (ServerSocket server = new ServerSocket(0)) {
      Thread answering = new Thread(() -> answer(server));
      answering.setDaemon(true);
      answering.start();
      ask(server.getLocalPort());
    }
  }

  private static void answer(ServerSocket server) {
    try (Socket client = server.accept()) {
      while (client.getInputStream().read() >= 0) {
        Thread.sleep(200);
        client.getOutputStream().write(1);
      }
    } catch (IOException | InterruptedException e) {
      // The test ends.
    }
  }

  @Register(trace = true)
  private static void ask(int port) throws Exception {
    try (Socket socket = new Socket("localhost", port)) {
      for (int i = 0; i < 12; i++) {
        socket.getOutputStream().write(1);
        socket.getInputStream().read();
      }
    }
  }

  /** Long enough that a thread that a busy machine wakes late does not matter. */
  @Register(trace = true)
  private static void dozing() throws InterruptedException {
    Thread.sleep(3_000);
  }

  @Register(trace = true)
  private static void sleeping() throws InterruptedException {
    Thread.sleep(300);
  }

  @Register(trace = true)
  private static void file(Path file, byte[] block) throws Exception {
    long startNanos = System.nanoTime();
    long written = 0;
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      for (int i = 0; i < 10; i++) {
        long nanos = System.nanoTime();
        out.seek(0);
        out.write(block);
        written += System.nanoTime() - nanos;
        Thread.sleep(20);
      }
    }
    say("file", (double) written / (System.nanoTime() - startNanos));
  }

  /** Two spans whose tasks the same thread runs in turn. */
  private static void pool() throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    List<Future<?>> tasks = new ArrayList<>();
    long startNanos = System.nanoTime();
    Span running = GlobalOpenTelemetry.getTracer("by hand").spanBuilder("running").startSpan();
    Span sleeping = GlobalOpenTelemetry.getTracer("by hand").spanBuilder("napping").startSpan();
    for (int i = 0; i < 30; i++) {
      try (Scope scope = running.makeCurrent()) {
        tasks.add(pool.submit(ProfiledProgram::measuredParts));
      }
      try (Scope scope = sleeping.makeCurrent()) {
        tasks.add(pool.submit(ProfiledProgram::nap));
      }
    }
    for (Future<?> task : tasks) {
      task.get();
    }
    running.end();
    sleeping.end();
    double tookNanos = System.nanoTime() - startNanos;
    say("running", BURNT_NANOS.get() / tookNanos);
    say("burning", BURNING_NANOS.get() / tookNanos);
    say("sleeping", NAPPED_NANOS.get() / tookNanos);
    pool.shutdown();
  }

  private static void measuredParts() {
    long startNanos = System.nanoTime();
    long processorNanos = THREADS.getCurrentThreadCpuTime();
    threeParts();
    BURNT_NANOS.addAndGet(THREADS.getCurrentThreadCpuTime() - processorNanos);
    BURNING_NANOS.addAndGet(System.nanoTime() - startNanos);
  }

  private static void nap() {
    long startNanos = System.nanoTime();
    try {
      Thread.sleep(30);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    NAPPED_NANOS.addAndGet(System.nanoTime() - startNanos);
  }

  /** Its thread continues with work of no span. */
  @Register(trace = true)
  private static CompletableFuture<Void> future() throws InterruptedException {
    long startNanos = System.nanoTime();
    Thread.sleep(500);
    return CompletableFuture.runAsync(
        () -> {
          for (int i = 0; i < 50; i++) {
            nap();
          }
          say("sleeping", (double) NAPPED_NANOS.get() / (System.nanoTime() - startNanos));
        });
  }

  private static void virtualThreads() throws Exception {
    CountDownLatch done = new CountDownLatch(10_000);
    for (int i = 0; i < 10_000; i++) {
      Runnable call =
          () -> {
            try {
              sleeping();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            done.countDown();
          };
      // Compiled for Java 17.
      Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, call);
    }
    done.await();
  }
}
