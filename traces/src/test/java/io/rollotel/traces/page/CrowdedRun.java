package io.rollotel.traces.page;

import io.rollotel.traces.kit.Planted;

/** A run of so many workers that no screen has room for a lane each. */
final class CrowdedRun {

  static final int WORKERS = 1000;
  static final int STEPS = 200;

  /** The rank for which all others wait in every step; in proportion if there are fewer workers. */
  static final int STRAGGLER = 777;

  /** The worker that has one span in one step, and no other. */
  static final int GUEST = 1000;

  static final int GUEST_STEP = 150;

  private static final int PER_HOST = 8;

  private CrowdedRun() {}

  static Planted planted() {
    return planted(WORKERS, STEPS);
  }

  /** Steps of 1000 ms, in each of which every worker generates, scores and checks. */
  static Planted planted(int workers, int steps) {
    Planted planted = new Planted("crowd").inUnitsOf(PlantedRun.MS);
    int straggler = (int) ((long) STRAGGLER * workers / WORKERS);
    for (int step = 0; step < steps; step++) {
      long at = 1010L * step;
      long trace = 1 + step;
      long root =
          planted.span(
              trace, 0, "pipeline_step", "driver@n0", at, at + 1000, "global_step", "" + step);
      long generate = planted.span(trace, root, "generate", "driver@n0", at, at + 620);
      long score = planted.span(trace, root, "score", "driver@n0", at + 620, at + 950);
      for (int rank = 0; rank < workers; rank++) {
        String worker = "actor" + rank + "@n" + rank / PER_HOST;
        long took = rank == straggler ? 600 : 300 + (rank * 31L + step * 17L) % 150;
        planted.span(trace, generate, "worker.generate", worker, at + 2, at + took);
        planted.span(trace, score, "worker.score", worker, at + 621, at + 721 + (rank * 13L) % 100);
        planted.span(trace, score, "worker.check", worker, at + 850, at + 940);
      }
      if (step == GUEST_STEP) {
        planted.span(trace, root, "judge", "judge" + GUEST + "@n0", at + 900, at + 950);
      }
    }
    return planted;
  }
}
