package io.rollotel.it;

import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Calls on virtual threads, a hundred from each sender, all open at once. For Java 21 and later.
 */
@SuppressWarnings("roll-otel:no-carrier")
public final class VirtualThreadsWorker {

  private static final int PER_SENDER = 100;

  private VirtualThreadsWorker() {}

  /** Takes the number of calls. */
  public static void main(String[] arguments) throws Exception {
    int calls = Integer.parseInt(arguments[0]);
    CountDownLatch allInside = new CountDownLatch(calls);
    // By reflection: this is compiled for Java 17.
    ExecutorService threads =
        (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    List<Future<?>> open = new ArrayList<>();
    for (int sender = 0; sender < calls / PER_SENDER; sender++) {
      send(Payload.traced(), sender, threads, allInside, open);
    }
    for (Future<?> call : open) {
      call.get();
    }
    threads.shutdown();
  }

  @Register(trace = true)
  private static void send(
      Payload payload,
      @SpanAttribute("call") long number,
      ExecutorService threads,
      CountDownLatch allInside,
      List<Future<?>> open) {
    for (int i = 0; i < PER_SENDER; i++) {
      open.add(
          threads.submit(
              () -> {
                receive(number, allInside);
                return null;
              }));
    }
  }

  @Register(trace = true)
  private static void receive(@SpanAttribute("call") long number, CountDownLatch allInside)
      throws InterruptedException {
    allInside.countDown();
    allInside.await();
  }
}
