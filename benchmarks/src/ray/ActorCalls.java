package com.example;

import io.ray.api.ActorHandle;
import io.ray.api.Ray;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Calls an actor as often as each line of standard input says, and prints the median in ns. */
public class ActorCalls {

  public static class Actor {
    public Actor() {}

    public int ping(int x) {
      return x;
    }

    public int size(float[] values) {
      return values.length;
    }
  }

  public static void main(String[] arguments) throws Exception {
    Ray.init();
    try {
      ActorHandle<Actor> actor = Ray.actor(Actor::new).remote();
      float[] values = new float[1000];
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        int calls = Integer.parseInt(line);
        long[] ping = new long[calls];
        long[] size = new long[calls];
        for (int i = 0; i < calls; i++) {
          long start = System.nanoTime();
          actor.task(Actor::ping, i).remote().get();
          long middle = System.nanoTime();
          actor.task(Actor::size, values).remote().get();
          ping[i] = middle - start;
          size[i] = System.nanoTime() - middle;
        }
        System.out.println("median " + median(ping) + " " + median(size));
      }
    } finally {
      Ray.shutdown();
    }
  }

  private static long median(long[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }
}
