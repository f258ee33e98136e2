package io.rollotel.traces.spans;

import io.rollotel.traces.otlp.Span;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The facts in the attributes of an agent framework's runs and steps. */
public final class RunFacts implements Serializable {

  /** What is known of a span. */
  private interface Fact {
    int span();
  }

  /**
   * A run.
   *
   * @param isCompleted null if unknown
   * @param totalReward NaN if there is none
   */
  public record OfRun(
      int span,
      String id,
      String environment,
      String model,
      @Nullable Boolean isCompleted,
      double totalReward)
      implements Fact, Serializable {

    private OfRun at(int place) {
      return new OfRun(place, id, environment, model, isCompleted, totalReward);
    }
  }

  /**
   * A step.
   *
   * @param number its number in the run, -1 if it has none
   * @param reward NaN if there is none
   * @param cumulativeReward NaN if there is none
   */
  public record OfStep(
      int span,
      String runId,
      long number,
      String action,
      double reward,
      double cumulativeReward,
      boolean isSuccess)
      implements Fact, Serializable {

    private OfStep at(int place) {
      return new OfStep(place, runId, number, action, reward, cumulativeReward, isSuccess);
    }
  }

  /** The name of a run's span. */
  public static final String RUN = "rlm.run";

  /** The name of a step's span. */
  public static final String STEP = "rlm.step";

  static final String ID = "rlm.run_id";
  private static final String ENVIRONMENT = "rlm.environment";
  private static final String MODEL = "rlm.model";
  private static final String COMPLETED = "rlm.completed";
  private static final String TOTAL_REWARD = "rlm.total_reward";
  private static final String NUMBER = "rlm.step";
  private static final String ACTION = "rlm.action_type";
  private static final String REWARD = "rlm.reward";
  private static final String CUMULATIVE_REWARD = "rlm.cumulative_reward";
  private static final String SUCCESS = "rlm.success";

  /** The attributes that are looked at. */
  static final Set<String> ATTRIBUTES =
      Set.of(
          ID,
          ENVIRONMENT,
          MODEL,
          COMPLETED,
          TOTAL_REWARD,
          NUMBER,
          ACTION,
          REWARD,
          CUMULATIVE_REWARD,
          SUCCESS);

  private static final int MOST = 1_000_000;

  private final List<OfRun> runs = new ArrayList<>();
  private final List<OfStep> steps = new ArrayList<>();

  /** Runs' ids, environments and actions repeat. */
  private final Map<String, String> texts = new HashMap<>();

  /** Reads the attributes of a span that has some. */
  void see(int number, Span span) {
    Map<String, Object> attributes = span.attributes();
    if (!attributes.containsKey(ID)) {
      return;
    }
    if (span.name().equals(STEP) && steps.size() < MOST) {
      steps.add(
          new OfStep(
              number,
              text(attributes, ID),
              attributes.get(NUMBER) instanceof Long step ? step : -1,
              text(attributes, ACTION),
              reward(attributes, REWARD),
              reward(attributes, CUMULATIVE_REWARD),
              Boolean.TRUE.equals(attributes.get(SUCCESS))));
    } else if (span.name().equals(RUN) && runs.size() < MOST) {
      runs.add(
          new OfRun(
              number,
              text(attributes, ID),
              text(attributes, ENVIRONMENT),
              text(attributes, MODEL),
              attributes.get(COMPLETED) instanceof Boolean is ? is : null,
              reward(attributes, TOTAL_REWARD)));
    }
  }

  /** Takes over the facts about rows that were copied from other spans. */
  void take(RunFacts others, RowPlaces rows) {
    for (int i = 0; i < rows.size(); i++) {
      int run = find(others.runs, rows.row(i));
      int step = find(others.steps, rows.row(i));
      if (run >= 0) {
        runs.add(others.runs.get(run).at(i));
      }
      if (step >= 0) {
        steps.add(others.steps.get(step).at(i));
      }
    }
  }

  /**
   * The place of the fact about a span, negative if there is none; they are in the order of spans.
   */
  private static int find(List<? extends Fact> facts, int span) {
    int low = 0;
    int high = facts.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (facts.get(middle).span() < span) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < facts.size() && facts.get(low).span() == span ? low : -1;
  }

  private String text(Map<String, Object> attributes, String key) {
    Object value = attributes.get(key);
    String text = value == null ? "" : value.toString();
    String known = texts.putIfAbsent(text, text);
    return known == null ? text : known;
  }

  /** A whole number is valid as well: other languages write 1 for 1.0. */
  private static double reward(Map<String, Object> attributes, String key) {
    Object value = attributes.get(key);
    double reward = value instanceof Number number ? number.doubleValue() : Double.NaN;
    return Double.isFinite(reward) ? reward : Double.NaN;
  }

  public List<OfRun> runs() {
    return runs;
  }

  public List<OfStep> steps() {
    return steps;
  }
}
