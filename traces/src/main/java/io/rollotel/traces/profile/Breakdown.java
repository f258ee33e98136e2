package io.rollotel.traces.profile;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The activity of threads in a period. It covers the whole period. */
@SuppressWarnings("EnumOrdinal") // these numbers are never serialised
public final class Breakdown {

  /**
   * A part of the time.
   *
   * @param what a method, a monitor with the method that held it, or another thing waited for
   * @param lines the lines at which a method ran, the one with the most time first; the JDK's work
   *     on its behalf counts at the line of the call
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

  // Sums of whole units, which do not depend on the order of parts, unlike sums of doubles.

  /** The units of a nanosecond; there is room for 18 years. */
  private static final double UNITS_PER_NANO = 16;

  /** The units of a sample. */
  private static final double UNITS_PER_SAMPLE = 1 << 20;

  /** With fewer, a method's share is a guess: one of four samples would be a quarter. */
  private static final int LEAST_SAMPLES = 10;

  private final Stacks stacks;
  private final long[] units = new long[Activity.values().length];
  private final Map<Activity, Map<Integer, Long>> details = new EnumMap<>(Activity.class);

  /** How often a thread was seen there. */
  private final Map<Integer, Long> samples = new HashMap<>();

  private long sampleUnits;
  private int spans;

  Breakdown(Stacks stacks) {
    this.stacks = stacks;
  }

  void add(Activity activity, int detail, double time) {
    long added = Math.round(time * UNITS_PER_NANO);
    units[activity.ordinal()] += added;
    if (detail != Stacks.NONE) {
      details.computeIfAbsent(activity, none -> new HashMap<>()).merge(detail, added, Long::sum);
    }
  }

  /** Adds the activities of other time, with the same stacks. */
  void add(Breakdown other) {
    for (int i = 0; i < units.length; i++) {
      units[i] += other.units[i];
    }
    other.details.forEach(
        (activity, of) -> {
          Map<Integer, Long> all = details.computeIfAbsent(activity, none -> new HashMap<>());
          of.forEach((detail, added) -> all.merge(detail, added, Long::sum));
        });
    other.samples.forEach((stack, added) -> samples.merge(stack, added, Long::sum));
    sampleUnits += other.sampleUnits;
    spans += other.spans;
  }

  /** A part of the time belongs to another span. */
  void countSpan() {
    spans++;
  }

  void sample(int stack, double weight) {
    long added = Math.round(weight * UNITS_PER_SAMPLE);
    samples.merge(stack, added, Long::sum);
    sampleUnits += added;
  }

  /** The number of spans; 0 for the critical path, which has parts of spans. */
  public int spans() {
    return spans;
  }

  /** How often a thread was seen running; if several ran at once, a share. */
  public double samples() {
    return sampleUnits / UNITS_PER_SAMPLE;
  }

  /** Whether there are enough samples to say which methods ran for how long. */
  public boolean tellsMethods() {
    return samples() >= LEAST_SAMPLES;
  }

  /** All of the time. */
  public double totalNanos() {
    return Arrays.stream(units).sum() / UNITS_PER_NANO;
  }

  public double nanos(Activity activity) {
    return units[activity.ordinal()] / UNITS_PER_NANO;
  }

  /** The activities that took time, the longest first. */
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
   * The details of an activity, the one with the most time first; for running, the methods, by
   * samples.
   */
  public List<Detail> details(Activity activity) {
    if (activity == Activity.RUNNING) {
      return methods();
    }
    Map<String, Double> found = new HashMap<>();
    details
        .getOrDefault(activity, Map.of())
        .forEach(
            (detail, time) -> found.merge(stacks.text(detail), time / UNITS_PER_NANO, Double::sum));
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
              .merge(frame.line(), nanos(Activity.RUNNING) * count / sampleUnits, Double::sum);
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

  /** Receives each running stack, the outermost frame first, and how often it was seen. */
  public void forEachStack(StackSink sink) {
    samples.forEach(
        (stack, count) -> {
          int[] numbers = stacks.frames(stack);
          List<Frame> frames = new ArrayList<>(numbers.length);
          for (int i = numbers.length - 1; i >= 0; i--) {
            frames.add(stacks.frame(numbers[i]));
          }
          sink.stack(frames, nanos(Activity.RUNNING) * count / sampleUnits);
        });
  }

  /** Takes stacks. */
  public interface StackSink {
    /** One, the outermost frame first. Stacks may differ in their lines alone. */
    void stack(List<Frame> frames, double nanos);
  }
}
