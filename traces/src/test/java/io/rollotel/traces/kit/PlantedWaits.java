package io.rollotel.traces.kit;

import java.util.Random;

/** Runs with spans that wait inside themselves. */
public final class PlantedWaits {

  private static final long TENTH_OF_MS = 100_000;

  private PlantedWaits() {}

  /**
   * In each step, {@code collect} polls until the last of four workers has scored, mostly {@code
   * w3}.
   */
  public static Planted polled(int steps, long seed) {
    Random random = new Random(seed);
    Planted planted = new Planted().inUnitsOf(TENTH_OF_MS);
    long at = 0;
    for (int trace = 1; trace <= steps; trace++) {
      long[] ends = new long[4];
      long last = 0;
      for (int worker = 0; worker < ends.length; worker++) {
        ends[worker] = at + 1100 + random.nextInt(800) + (worker == 3 && trace % 7 != 0 ? 800 : 0);
        last = Math.max(last, ends[worker]);
      }
      long end = last + 5 + random.nextInt(15);
      long step = planted.span(trace, 0, "pipeline_step", "driver@a", at, end + 50);
      long enqueue = planted.span(trace, step, "enqueue", "driver@a", at + 10, at + 50);
      for (int worker = 0; worker < ends.length; worker++) {
        planted.span(trace, enqueue, "worker.score", "w" + worker + "@b", at + 40, ends[worker]);
      }
      planted.span(trace, step, "collect", "driver@a", at + 60, end);
      at = end + 200;
    }
    return planted;
  }

  /**
   * In each step, {@code get_batch} waits for the last of eight trajectories, which began in the
   * step before, as part of its trace.
   */
  public static Planted asynchronous(int steps, long seed) {
    Random random = new Random(seed);
    Planted planted = new Planted().inUnitsOf(TENTH_OF_MS);
    long at = 0;
    long before = 0;
    for (int trace = 1; trace <= steps; trace++) {
      long ready = at + 1500 + random.nextInt(1500);
      long end = ready + 2 + random.nextInt(8);
      long step = planted.span(trace, 0, "pipeline_step", "driver", at, ready + 990);
      planted.span(trace, step, "get_batch", "driver", at + 10, end);
      planted.span(trace, step, "train", "actor", ready + 20, ready + 980);
      for (int env = 0; env < 8 && trace > 1; env++) {
        long ends = env == trace % 8 ? ready : at - 100 - random.nextInt(500);
        planted.span(trace - 1, before, "trajectory", "env" + env, at - 800, ends);
      }
      before = step;
      at = ready + 1000;
    }
    return planted;
  }
}
