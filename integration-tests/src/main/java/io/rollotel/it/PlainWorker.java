package io.rollotel.it;

import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.Register;
import java.util.TreeSet;

/** Has no OpenTelemetry on its class path. Prints what it finds in its environment. */
public final class PlainWorker {

  private PlainWorker() {}

  /** Takes a carried call, a failing one and a dispatch; lists the threads at the end. */
  public static void main(String[] arguments) {
    System.out.println("sum " + train(Payload.traced(), 1));
    try {
      fail(Payload.traced());
    } catch (IllegalStateException e) {
      System.out.println("caught " + e.getMessage());
    }
    Payload sent = new Payload();
    send(sent);
    System.out.println("sent " + new TreeSet<>(sent.getMetaInfo().keySet()));
    TreeSet<String> threads = new TreeSet<>();
    Thread.getAllStackTraces().keySet().forEach(thread -> threads.add(thread.getName()));
    System.out.println("threads " + threads);
  }

  @Register(trace = true)
  private static int train(Payload payload, int step) {
    return payload.getMetaInfo().size() + step;
  }

  @Register(trace = true)
  private static void fail(Payload payload) {
    throw new IllegalStateException("no gradient");
  }

  @Dispatch
  private static void send(Payload payload) {
    System.out.println("sending " + payload.getMetaInfo().keySet());
  }
}
