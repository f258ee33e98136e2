package io.rollotel.traces.kit;

import io.rollotel.traces.recording.Recording;

/** Runs of an agent framework as a test plants them. */
public final class PlantedAgentRuns {

  private static final long MS = 1_000_000;

  private PlantedAgentRuns() {}

  /** Three runs: one that completes, one that fails in its second step, one that is not ended. */
  public static Planted three() {
    Planted planted = new Planted().inUnitsOf(MS);
    long one =
        planted.span(
            1,
            0,
            "rlm.run",
            "agent@a",
            0,
            100,
            "rlm.run_id",
            "one",
            "rlm.environment",
            "puzzle",
            "rlm.model",
            "astar",
            "rlm.completed",
            true,
            "rlm.total_steps",
            3L,
            "rlm.total_reward",
            4.5);
    step(planted, 1, one, "one", 2, 40, 90, 3.5, 5.0);
    step(planted, 1, one, "one", 1, 10, 40, 1.5, 1.5);
    step(planted, 1, one, "one", 3, 90, 95, -0.5, 4.5);
    long two =
        planted.span(
            2,
            0,
            "rlm.run",
            "agent@a",
            120,
            150,
            "rlm.run_id",
            "two",
            "rlm.completed",
            false,
            "failure",
            "no way");
    step(planted, 2, two, "two", 1, 121, 130, 0.25, 0.25);
    planted.span(
        2,
        two,
        "rlm.step",
        "agent@a",
        130,
        149,
        "rlm.run_id",
        "two",
        "rlm.step",
        2L,
        "rlm.reward",
        Double.NaN,
        "rlm.success",
        false,
        "failure",
        "wall");
    // Its run is not in the file: whole numbers, and no total reward so far.
    planted.span(
        3,
        999,
        "rlm.step",
        "agent@a",
        200,
        210,
        "rlm.run_id",
        "three",
        "rlm.step",
        1L,
        "rlm.reward",
        -2L);
    planted.span(
        3,
        999,
        "rlm.step",
        "agent@a",
        210,
        230,
        "rlm.run_id",
        "three",
        "rlm.step",
        2L,
        "rlm.reward",
        3L);
    return planted;
  }

  /** A step that succeeded. */
  public static void step(
      Planted planted,
      long trace,
      long run,
      String id,
      long number,
      long start,
      long end,
      double reward,
      double gained) {
    planted.span(
        trace,
        run,
        "rlm.step",
        "agent@a",
        start,
        end,
        "rlm.run_id",
        id,
        "rlm.step",
        number,
        "rlm.action_type",
        "search",
        "rlm.reward",
        reward,
        "rlm.cumulative_reward",
        gained,
        "rlm.success",
        true);
  }

  /**
   * A run of a sub-agent on worker 1 whose process died in its second step, and a retry under the
   * same id, in the same trace, on worker 2: at 0 to 50, and at 60 to 100.
   */
  public static Planted retried() {
    Planted planted = new Planted().inUnitsOf(MS);
    planted.span(1, 50, 0, "dispatch", "driver@a", 0, 110);
    planted.span(1, 1, 7, "rlm.step", "w1@a", 2, 12, step("sub", 1, "think", 0.1, 0.1));
    long retry =
        planted.span(
            1,
            2,
            50,
            "rlm.run",
            "w2@a",
            60,
            100,
            "rlm.run_id",
            "sub",
            "rlm.completed",
            true,
            "rlm.total_reward",
            0.3);
    planted.span(1, 3, retry, "rlm.step", "w2@a", 61, 70, step("sub", 1, "think", 0.1, 0.1));
    planted.span(1, 4, retry, "rlm.step", "w2@a", 70, 90, step("sub", 2, "tool", 0.1, 0.2));
    planted.span(1, 5, retry, "rlm.step", "w2@a", 90, 99, step("sub", 3, "think", 0.1, 0.3));
    return planted;
  }

  /** The recorder file of {@link #retried}: the run and its second step are open. */
  public static Recording killed(Planted retried, boolean isAlive) {
    return retried.recording(
        "w1@a",
        isAlive,
        50,
        retried.open(1, 8, 7, "rlm.step", 12),
        retried.open(1, 7, 50, "rlm.run", 1));
  }

  private static Object[] step(
      String id, long number, String action, double reward, double gained) {
    return new Object[] {
      "rlm.run_id",
      id,
      "rlm.step",
      number,
      "rlm.action_type",
      action,
      "rlm.reward",
      reward,
      "rlm.cumulative_reward",
      gained,
      "rlm.success",
      true
    };
  }
}
