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
   */
  public record Detail(String what, double nanos) {}

  private final Stacks stacks;
  private final double[] nanos = new double[Activity.values().length];
  private final Map<Activity, Map<Integer, Double>> details = new EnumMap<>(Activity.class);

  /** How often a thread was seen there. */
  private final Map<Integer, Double> samples = new HashMap<>();

  private double sampleCount;

  Breakdown(Stacks stacks) {
    this.stacks = stacks;
  }

  void add(Activity activity, int detail, double time) {
    nanos[activity.ordinal()] += time;
    if (detail != Stacks.NONE) {
      details.computeIfAbsent(activity, none -> new HashMap<>()).merge(detail, time, Double::sum);
    }
  }

  void sample(int stack, double weight) {
    samples.merge(stack, weight, Double::sum);
    sampleCount += weight;
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
    Map<String, Double> found = new HashMap<>();
    if (activity == Activity.RUNNING) {
      samples.forEach(
          (stack, count) ->
              found.merge(
                  stacks.method(stack), nanos(activity) * count / sampleCount, Double::sum));
    } else {
      details
          .getOrDefault(activity, Map.of())
          .forEach((detail, time) -> found.merge(stacks.text(detail), time, Double::sum));
    }
    return found.entrySet().stream()
        .map(entry -> new Detail(entry.getKey(), entry.getValue()))
        .sorted(Comparator.comparingDouble(Detail::nanos).reversed().thenComparing(Detail::what))
        .toList();
  }

  /** Whether a method is the JDK's or the agent's. */
  public static boolean isPlatform(String method) {
    return Stacks.isPlatform(method);
  }

  /** Takes each stack that was seen to run, the outermost method first, and how often. */
  public void forEachStack(StackSink sink) {
    samples.forEach(
        (stack, count) -> {
          int[] frames = stacks.frames(stack);
          List<String> methods = new ArrayList<>();
          for (int i = frames.length - 1; i >= 0; i--) {
            methods.add(stacks.text(frames[i]));
          }
          sink.stack(methods, nanos(Activity.RUNNING) * count / sampleCount);
        });
  }

  /** Takes stacks. */
  public interface StackSink {
    /** One, the outermost method first. */
    void stack(List<String> methods, double nanos);
  }
}
