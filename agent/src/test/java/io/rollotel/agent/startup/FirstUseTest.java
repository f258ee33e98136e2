package io.rollotel.agent.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.api.TracingCopies;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.Stderr;
import io.rollotel.agent.settings.CurrentSettings;
import io.rollotel.agent.settings.TestSettings;
import io.rollotel.agent.transform.ResettableTransformers;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FirstUseTest {

  /** The threads on which the logging library's classes are changed, according to the JVM. */
  private final LinkedBlockingQueue<Thread> weavers = new LinkedBlockingQueue<>();

  private final Instrumentation instrumentation =
      (Instrumentation)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {Instrumentation.class},
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "getAllLoadedClasses" -> new Class<?>[] {logLibrary()};
                    case "isModifiableClass" -> true;
                    case "retransformClasses" -> {
                      weavers.add(Thread.currentThread());
                      yield null;
                    }
                    default -> null;
                  });

  /** The errors that starting the thread throws, in this order. */
  private final Queue<Error> failures = new ArrayDeque<>();

  private final FirstUse firstUse =
      new FirstUse(
          new CurrentSettings(TestSettings.of("threads=off,log.correlation=on")),
          new ResettableTransformers(instrumentation, new Ledger()),
          new TracingCopies()) {
        @Override
        void startThread() {
          Error failure = failures.poll();
          if (failure != null) {
            throw failure;
          }
          super.startThread();
        }
      };

  private static Class<?> logLibrary() throws ClassNotFoundException {
    String name =
        "org.apache.logging.log4j.core.impl.ThreadContextDataInjector$ForDefaultThreadContextMap";
    return Class.forName(name, false, FirstUseTest.class.getClassLoader());
  }

  @Test
  void room_weavesOnAThreadOfItsOwnBeforeTheCallGoesOn() {
    firstUse.begin(Long.MAX_VALUE);
    assertThat(weavers).extracting(Thread::getName).containsExactly("roll-otel-weave");
  }

  @Test
  void threadInterruptedMeanwhile_weavesFirstAndStaysInterrupted() {
    Thread.currentThread().interrupt();
    firstUse.begin(Long.MAX_VALUE);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(weavers).hasSize(1);
  }

  static Stream<Error> failures() {
    return Stream.of(new OutOfMemoryError("no native thread"), new StackOverflowError());
  }

  @ParameterizedTest
  @MethodSource("failures")
  void threadThatCannotStart_isStartedByALaterRunAndOnce(Error failure) throws Exception {
    failures.add(failure);
    firstUse.run();
    assertThat(weavers).isEmpty();
    firstUse.run();
    assertThat(weavers.poll(10, TimeUnit.MINUTES)).isNotNull();
    failures.add(new AssertionError("started twice"));
    firstUse.run();
    assertThat(failures).hasSize(1);
  }

  @Test
  void heapNearlyFull_weavesOnAThreadOfItsOwnWhenThereIsRoom() throws Exception {
    firstUse.begin(0);
    assertThat(weavers.poll(10, TimeUnit.MINUTES))
        .extracting(Thread::getName)
        .isEqualTo("roll-otel-weave");
  }

  @Test
  void heapStillFull_waitsAndSaysSoOnce() {
    try (Stderr stderr = new Stderr()) {
      assertThat(firstUse.round(0)).isPositive();
      assertThat(firstUse.round(0)).isPositive();
      assertThat(weavers).isEmpty();
      assertThat(stderr.lines()).singleElement().asString().contains("the heap is nearly full");
    }
  }

  /** A heap that is full now and then has room between: the JVM crashed when it was woven there. */
  @Test
  void heapFullNowAndThen_weavesOnceThereHasBeenRoomForASecond() {
    for (int again = 0; again < 3; again++) {
      assertThat(firstUse.round(0)).isPositive();
      for (int look = 1; look < FirstUse.LOOKS_WITH_ROOM; look++) {
        assertThat(firstUse.round(Long.MAX_VALUE)).isPositive();
      }
    }
    assertThat(weavers).isEmpty();
    assertThat(firstUse.round(Long.MAX_VALUE)).isNegative();
    assertThat(weavers).hasSize(1);
  }
}
