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
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FirstUseTest {

  /** The threads that have asked the JVM to let them change classes. */
  private final LinkedBlockingQueue<Thread> weavers = new LinkedBlockingQueue<>();

  private final Instrumentation instrumentation =
      (Instrumentation)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {Instrumentation.class},
              (proxy, method, arguments) -> {
                if (method.getName().equals("addTransformer")) {
                  weavers.add(Thread.currentThread());
                }
                return method.getReturnType() == Class[].class ? new Class<?>[0] : null;
              });

  private final FirstUse firstUse =
      new FirstUse(
          new CurrentSettings(TestSettings.of("threads=off,log.correlation=on")),
          new ResettableTransformers(instrumentation, new Ledger()),
          new TracingCopies());

  @Test
  void room_weavesBeforeTheCallGoesOn() {
    firstUse.begin(Long.MAX_VALUE);
    assertThat(weavers).containsExactly(Thread.currentThread());
  }

  @Test
  void heapNearlyFull_weavesOnAnotherThreadWhenThereIsRoom() throws Exception {
    try (Stderr stderr = new Stderr()) {
      firstUse.begin(0);
      assertThat(weavers.poll(10, TimeUnit.MINUTES))
          .extracting(Thread::getName)
          .isEqualTo("roll-otel-weave");
      assertThat(stderr.lines()).singleElement().asString().contains("the heap is nearly full");
    }
  }

  @Test
  void heapStillFull_waits() {
    assertThat(firstUse.round(0)).isPositive();
    assertThat(weavers).isEmpty();
    assertThat(firstUse.round(Long.MAX_VALUE)).isNegative();
    assertThat(weavers).hasSize(1);
  }
}
