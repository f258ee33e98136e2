package io.rollotel.benchmarks.peers;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.opentelemetry.instrumentation.annotations.WithSpan;
import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.Register;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A worker under load, in a process of its own: {@code loop} calls as fast as it goes and counts
 * the calling thread's own time, since who delivers more leaves it less of the processors; {@code
 * rate N SECONDS} in bursts each 10 ms; {@code steady N SECONDS} the same once it has warmed up at
 * lower rates. Prints {@code key=value} for {@link Race} and {@link HighestRate}.
 */
public final class Load {

  private static final int BURSTS_A_SECOND = 100;
  private static final long LOOP_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Who delivers what a loop makes leaves the compilers little time. */
  private static final long LOOP_WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(8);

  private static final int BLOCK = 10_000;

  /**
   * The time before the measurement: first the start, when exporters are built, then calls until
   * both sides are compiled. Otherwise the figures would be those of the compilers. Each takes at
   * most as long as the measurement.
   */
  private static final int START_SECONDS = 3;

  /** The rate at which a process starts that must be warm before the calls of a higher rate. */
  private static final int START_RATE = 20_000;

  private static final int WARM_UP_SECONDS = 4;
  private static final int WARM_UP_RATE = 50_000;

  /** Longer than the 5 s after which a stock batch processor sends what it has. */
  private static final int SETTLE_SECONDS = 6;

  private final Payloads payloads = new Payloads();
  private final float[] data = new float[64];
  private final String how;
  private final @Nullable HandWritten byHand; // the only one that needs the SDK

  private Load(String how) {
    this.how = how;
    this.byHand = how.equals("hand") ? HandWritten.exporting() : null;
  }

  /**
   * Runs.
   *
   * @param arguments how calls are traced ({@code plain}, {@code hand}, {@code register}, {@code
   *     withspan}), then {@code loop}, or {@code rate} or {@code steady} with calls a second and
   *     seconds
   */
  public static void main(String[] arguments) throws IOException {
    Load load = new Load(arguments[0]);
    if (arguments[1].equals("loop")) {
      load.loop();
    } else {
      int rate = Integer.parseInt(arguments[2]);
      int startRate = arguments[1].equals("steady") ? START_RATE : rate;
      load.rate(startRate, rate, Integer.parseInt(arguments[3]));
    }
    if (load.byHand != null) {
      load.byHand.close();
    }
    System.out.println("rssKib=" + peakRssKib());
  }

  private void loop() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    callFor(LOOP_WARM_UP_NANOS);
    long bytes = threads.getCurrentThreadAllocatedBytes();
    long startNanos = threads.getCurrentThreadCpuTime();
    long calls = callFor(LOOP_NANOS);
    System.out.println(
        "nanos=" + (double) (threads.getCurrentThreadCpuTime() - startNanos) / calls);
    System.out.println(
        "bytes=" + (double) (threads.getCurrentThreadAllocatedBytes() - bytes) / calls);
  }

  private long callFor(long nanos) {
    long endNanos = System.nanoTime() + nanos;
    long calls = 0;
    while (System.nanoTime() - endNanos < 0) {
      for (int i = 0; i < BLOCK; i++) {
        call();
      }
      calls += BLOCK;
    }
    return calls;
  }

  private void rate(int startRate, int callsASecond, int seconds) {
    OperatingSystemMXBean process =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long calls = bursts(startRate, Math.min(START_SECONDS, seconds));
    calls += bursts(Math.max(startRate, WARM_UP_RATE), Math.min(WARM_UP_SECONDS, seconds));
    pause(1);
    long cpuNanos = process.getProcessCpuTime();
    long measured = bursts(callsASecond, seconds);
    if (!how.equals("plain")) {
      pause(SETTLE_SECONDS);
    }
    System.out.println("cpuNanos=" + (process.getProcessCpuTime() - cpuNanos));
    System.out.println("measured=" + measured);
    System.out.println("calls=" + (calls + measured));
  }

  private static void pause(int seconds) {
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    for (long left; (left = endNanos - System.nanoTime()) > 0; ) {
      LockSupport.parkNanos(left);
    }
  }

  private long bursts(int callsASecond, int seconds) {
    int burst = callsASecond / BURSTS_A_SECOND;
    long dueNanos = System.nanoTime();
    for (int i = 0; i < seconds * BURSTS_A_SECOND; i++) {
      for (int j = 0; j < burst; j++) {
        call();
      }
      dueNanos += TimeUnit.SECONDS.toNanos(1) / BURSTS_A_SECOND;
      for (long left; (left = dueNanos - System.nanoTime()) > 0; ) {
        LockSupport.parkNanos(left);
      }
    }
    return (long) burst * seconds * BURSTS_A_SECOND;
  }

  private void call() {
    Map<String, Object> metaInfo = payloads.next();
    if (byHand != null) {
      byHand.call(metaInfo, () -> work(metaInfo.size()));
      return;
    }
    switch (how) {
      case "register" -> register(metaInfo);
      case "withspan" -> withSpan(metaInfo);
      default -> plain(metaInfo);
    }
  }

  private float plain(Map<String, Object> metaInfo) {
    return work(metaInfo.size());
  }

  @Register(trace = true)
  private float register(@MetaInfo Map<String, Object> metaInfo) {
    return work(metaInfo.size());
  }

  @WithSpan
  private float withSpan(Map<String, Object> metaInfo) {
    return work(metaInfo.size());
  }

  private float work(int step) {
    float sum = step;
    for (float value : data) {
      sum += value * 0.5f;
    }
    return sum;
  }

  private static long peakRssKib() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmHWM:")) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    return 0;
  }
}
