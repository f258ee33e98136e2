package io.rollotel.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * Loads many classes. {@code scan COUNT} takes those of a jar on the class path and prints the
 * processor time of the process; {@code weave FOLDER METHODS ROUNDS} defines annotated ones, 10,
 * 100 and 1,000 in a loader, and prints that of the thread, for each class and each first call.
 */
final class GrowthOfLoading {

  static final int[] COUNTS = {10, 100, 1_000};

  private static final int WARM_UP = 3_000;
  private static final double MICRO = 1e3;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static int sum; // so that no call is left out

  private GrowthOfLoading() {}

  public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
    if (arguments[0].equals("scan")) {
      scan(Integer.parseInt(arguments[1]));
    } else {
      weave(
          GeneratedClass.read(Path.of(arguments[1])),
          Integer.parseInt(arguments[2]),
          Integer.parseInt(arguments[3]));
    }
  }

  private static void scan(int count) throws ClassNotFoundException {
    OperatingSystemMXBean process =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long cpuNanos = process.getProcessCpuTime();
    long threadNanos = THREADS.getCurrentThreadCpuTime();
    for (int i = 0; i < count; i++) {
      Class.forName(GeneratedClass.name(i), true, GrowthOfLoading.class.getClassLoader());
    }
    System.out.println("thread=" + (THREADS.getCurrentThreadCpuTime() - threadNanos) / 1e9);
    System.out.println("process=" + (process.getProcessCpuTime() - cpuNanos) / 1e9);
  }

  private static void weave(GeneratedClass generated, int methods, int rounds)
      throws ReflectiveOperationException {
    List<byte[]> classes = new ArrayList<>();
    for (int i = 0; i < COUNTS[COUNTS.length - 1]; i++) {
      classes.add(generated.bytes(i));
    }
    for (int woven = 0; woven < WARM_UP; woven += 100) {
      load(classes.subList(0, 100));
    }
    Figures figures = new Figures();
    for (int round = 0; round < rounds; round++) {
      for (int count : COUNTS) {
        // As many loads of few as of many, so that each median stands for the same amount of work.
        for (int done = 0; done < COUNTS[COUNTS.length - 1]; done += count) {
          double[] nanos = load(classes.subList(0, count));
          figures.add(
              "",
              Map.of(
                  "class" + count, nanos[0] / MICRO / count,
                  "first" + count, nanos[1] / MICRO / count / methods));
        }
      }
    }
    for (int count : COUNTS) {
      for (String figure : List.of("class", "first")) {
        System.out.printf(
            Locale.ROOT, "%s%d=%.3f%n", figure, count, figures.median(figure + count));
      }
    }
    System.out.println("sum=" + sum % 2);
  }

  /** The thread's nanoseconds for defining, and for the first call of each method. */
  @SuppressWarnings("unchecked") // the name that it was compiled with
  private static double[] load(List<byte[]> classes) throws ReflectiveOperationException {
    GeneratedClass.Loader loader = new GeneratedClass.Loader();
    List<Class<?>> defined = new ArrayList<>();
    long startNanos = THREADS.getCurrentThreadCpuTime();
    for (int i = 0; i < classes.size(); i++) {
      defined.add(loader.define(i, classes.get(i)));
    }
    long definedNanos = THREADS.getCurrentThreadCpuTime();
    for (Class<?> one : defined) {
      sum +=
          ((ToIntFunction<Map<String, Object>>) one.getConstructor().newInstance())
              .applyAsInt(Map.of());
    }
    return new double[] {
      definedNanos - startNanos, THREADS.getCurrentThreadCpuTime() - definedNanos
    };
  }
}
