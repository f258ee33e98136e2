package io.rollotel.it;

import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.Register;
import java.util.HashMap;
import java.util.Map;

/** Stops threads while they make traced calls, most of the time inside tracing. */
public final class StoppedThreadsWorker {

  private static final int THREADS = 40;
  private static final int STOPS = 5;

  private StoppedThreadsWorker() {}

  @Register(trace = true)
  static int work(int number, @MetaInfo Map<String, Object> metaInfo) {
    return number + metaInfo.size();
  }

  @Dispatch
  static int send(int number, @MetaInfo Map<String, Object> metaInfo) {
    return work(number, metaInfo);
  }

  /** Prints how many threads live on. */
  @SuppressWarnings({"deprecation", "removal"})
  public static void main(String[] arguments) throws InterruptedException {
    int before = send(1, new HashMap<>());
    for (int i = 0; i < 1_000; i++) {
      send(i, new HashMap<>()); // a stop while a class is being loaded costs the JVM that class
    }
    int alive = 0;
    for (int i = 0; i < THREADS; i++) {
      Thread thread =
          new Thread(
              () -> {
                for (int number = before; ; ) {
                  number = send(number, new HashMap<>());
                }
              });
      thread.setDaemon(true);
      thread.start();
      Thread.sleep(5); // until it is somewhere in its loop
      for (int stop = 0; stop < STOPS && thread.isAlive(); stop++) {
        thread.stop();
        thread.join(1000);
      }
      alive += thread.isAlive() ? 1 : 0;
    }
    System.out.println("alive " + alive);
    int after = send(1, new HashMap<>());
    System.out.println("after " + (after == before));
  }
}
