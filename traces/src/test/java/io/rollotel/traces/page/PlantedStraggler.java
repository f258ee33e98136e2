package io.rollotel.traces.page;

import io.rollotel.traces.kit.Planted;
import java.util.Random;

/** Many workers that do the same in each step, except one, which takes three times as long. */
final class PlantedStraggler {

  private static final long MS = 1_000_000;

  private PlantedStraggler() {}

  /** Each worker has a call a step that takes 18 to 22 ms, the straggler's 60 ms. */
  static Planted run(int workers, int steps, int straggler) {
    Random random = new Random(77);
    Planted planted = new Planted();
    for (int step = 0; step < steps; step++) {
      long at = 110 * MS * step;
      long trace = 1 + step;
      long root =
          planted.span(
              trace, 0, "pipeline_step", "driver@a", at, at + 100 * MS, "global_step", "" + step);
      long generate = planted.span(trace, root, "generate", "driver@a", at + MS, at + 65 * MS);
      for (int worker = 0; worker < workers; worker++) {
        long nanos = worker == straggler ? 60 * MS : 18 * MS + random.nextInt((int) (4 * MS));
        long start = at + 2 * MS;
        planted.span(
            trace,
            generate,
            "worker.generate",
            "actor" + worker + "@b" + worker / 8,
            start,
            start + nanos,
            "roll.queue_ns",
            (long) random.nextInt((int) MS));
      }
      planted.span(trace, root, "train", "driver@a", at + 65 * MS, at + 95 * MS);
    }
    return planted;
  }
}
