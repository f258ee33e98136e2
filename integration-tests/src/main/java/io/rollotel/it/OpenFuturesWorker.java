package io.rollotel.it;

import io.rollotel.annotations.Register;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

/** Opens the given number of futures, completes them in one loop, and ends. */
public final class OpenFuturesWorker {

  private OpenFuturesWorker() {}

  /** Takes their number. */
  public static void main(String[] arguments) {
    Deque<CompletableFuture<Integer>> open = new ArrayDeque<>();
    for (int i = Integer.parseInt(arguments[0]); i > 0; i--) {
      open.add(step(new CompletableFuture<>()));
    }
    while (!open.isEmpty()) {
      open.poll().complete(1);
    }
    System.out.println("all complete");
  }

  @Register(trace = true)
  @SuppressWarnings("roll-otel:no-carrier") // each is a root
  private static CompletableFuture<Integer> step(CompletableFuture<Integer> future) {
    return future;
  }
}
