package io.rollotel.it;

import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.Register;
import java.util.HashMap;
import java.util.Map;

/** Makes far too many spans: calls of a small method, in many traces or in one. */
@SuppressWarnings("roll-otel:no-carrier") // all is in one process
public final class LoudWorker {

  private static final int CALLS_IN_EACH = 20;

  private LoudWorker() {}

  /** Runs so many jobs, {@code each} in a trace of its own or all in {@code one}. */
  public static void main(String[] arguments) {
    int jobs = Integer.parseInt(arguments[1]);
    long sum = arguments[0].equals("one") ? all(jobs) : each(jobs);
    System.out.println("sum " + sum);
  }

  private static long each(int jobs) {
    long sum = 0;
    for (int i = 0; i < jobs; i++) {
      sum += job(i);
    }
    return sum;
  }

  @Register(trace = true)
  private static long all(int jobs) {
    return each(jobs);
  }

  @Register(trace = true)
  private static long job(int job) {
    long sum = 0;
    for (int i = 0; i < CALLS_IN_EACH - 1; i++) {
      sum += parse(job + i);
    }
    Map<String, Object> payload = new HashMap<>();
    send(payload);
    return sum + receive(payload, job);
  }

  @Register(trace = true)
  private static int parse(int value) {
    return value % 7;
  }

  @Dispatch
  private static void send(@MetaInfo Map<String, Object> payload) {
    // The context is put into the payload before the call.
  }

  @Register(trace = true)
  private static int receive(@MetaInfo Map<String, Object> payload, int value) {
    return value % 5;
  }
}
