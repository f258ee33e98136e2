package io.rollotel.traces.kit;

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
}
