package io.rollotel.traces.profile;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What threads did in some time. All of the time is accounted for. */
@SuppressWarnings("EnumOrdinal") // the numbers are never written
public final class Breakdown {

  /**
   * A part of the time.
   *
   * @param what a method, a monitor with the method that held it, or another thing waited for
   * @param lines of a method that ran, at which it stood, the one with the most time first; what
   *     the JDK did on its behalf counts where it was called
   */
  public record Detail(String what, double nanos, List<Line> lines) {

    Detail(String what, double nanos) {
      this(what, nanos, List.of());
    }
  }

  /** The time at a line of the code. */
  public record Line(int line, double nanos) {}

  private static final Comparator<Detail> LONGEST_FIRST =
      Comparator.comparingDouble(Detail::nanos).reversed().thenComparing(Detail::what);

  private final Stacks stacks;
  private final double[] nanos = new double[Activity.values().length];
  private final Map<Activity, Map<Integer, Double>> details = new EnumMap<>(Activity.class);

  /** How often a thread was seen there. */
  private final Map<Integer, Double> samples = new HashMap<>();

  private double sampleCount;
  private int spans;

  Breakdown(Stacks stacks) {
    this.stacks = stacks;
  }

  void add(Activity activity, int detail, double time) {
    nanos[activity.ordinal()] += time;
    if (detail != Stacks.NONE) {
      details.computeIfAbsent(activity, none -> new HashMap<>()).merge(detail, time, Double::sum);
    }
  }

  /** A part of the time is another span's. */
  void countSpan() {
    spans++;
  }

  void sample(int stack, double weight) {
    samples.merge(stack, weight, Double::sum);
    sampleCount += weight;
  }

  /** Of how many spans it is; 0 for the critical path, which has parts of spans. */
  public int spans() {
    return spans;
  }

  /** How often a thread was seen to run; of one of several at once, a part. */
  public double samples() {
    return sampleCount;
  }

  /** All of the time. */
  public double totalNanos() {
    double total = 0;
    for (double time : nanos) {
      total += time;
    }
    return total;
  }

  public double nanos(Activity activity) {
    return nanos[activity.ordinal()];
  }

  /** Those that took time, the one that took most first. */
  public List<Activity> activities() {
    List<Activity> found = new ArrayList<>();
    for (Activity activity : Activity.values()) {
      if (nanos(activity) >= 1) {
        found.add(activity);
      }
    }
    found.sort(Comparator.comparingDouble(this::nanos).reversed());
    return found;
  }

  /**
   * What an activity was about, that with the most time first: of running the methods, by samples.
   */
  public List<Detail> details(Activity activity) {
    if (activity == Activity.RUNNING) {
      return methods();
    }
    Map<String, Double> found = new HashMap<>();
    details
        .getOrDefault(activity, Map.of())
        .forEach((detail, time) -> found.merge(stacks.text(detail), time, Double::sum));
    return found.entrySet().stream()
        .map(entry -> new Detail(entry.getKey(), entry.getValue()))
        .sorted(LONGEST_FIRST)
        .toList();
  }

  private List<Detail> methods() {
    Map<String, Map<Integer, Double>> found = new HashMap<>();
    samples.forEach(
        (stack, count) -> {
          Frame frame = stacks.innermost(stack);
          found
              .computeIfAbsent(frame.method(), none -> new HashMap<>())
              .merge(frame.line(), nanos(Activity.RUNNING) * count / sampleCount, Double::sum);
        });
    return found.entrySet().stream()
        .map(
            entry ->
                new Detail(
                    entry.getKey(),
                    entry.getValue().values().stream().mapToDouble(Double::doubleValue).sum(),
                    lines(entry.getValue())))
        .sorted(LONGEST_FIRST)
        .toList();
  }

  private static List<Line> lines(Map<Integer, Double> nanosByLine) {
    return nanosByLine.entrySet().stream()
        .filter(entry -> entry.getKey() != Stacks.NO_LINE)
        .map(entry -> new Line(entry.getKey(), entry.getValue()))
        .sorted(Comparator.comparingDouble(Line::nanos).reversed().thenComparingInt(Line::line))
        .toList();
  }

  /** Takes each stack that was seen to run, the outermost frame first, and how often. */
  public void forEachStack(StackSink sink) {
    samples.forEach(
        (stack, count) -> {
          int[] numbers = stacks.frames(stack);
          List<Frame> frames = new ArrayList<>(numbers.length);
          for (int i = numbers.length - 1; i >= 0; i--) {
            frames.add(stacks.frame(numbers[i]));
          }
          sink.stack(frames, nanos(Activity.RUNNING) * count / sampleCount);
        });
  }

  /** Takes stacks. */
  public interface StackSink {
    /** One, the outermost frame first. Stacks may differ in their lines alone. */
    void stack(List<Frame> frames, double nanos);
  }
}
