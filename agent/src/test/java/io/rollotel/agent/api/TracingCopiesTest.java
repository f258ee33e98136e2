package io.rollotel.agent.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

class TracingCopiesTest {

  private final TracingCopies copies = new TracingCopies();
  private final Tracing tracing =
      (Tracing)
          Proxy.newProxyInstance(
              Tracing.class.getClassLoader(),
              new Class<?>[] {Tracing.class},
              (proxy, method, arguments) -> null);

  @Test
  void addedAgain_isThereOnce() {
    assertThat(copies.add(tracing)).isTrue();
    assertThat(copies.add(tracing)).isTrue();
    assertThat(copies.present()).hasSize(1);
    copies.remove(tracing);
    assertThat(copies.present()).isEmpty();
  }

  @Test
  void addedAfterTheEnd_isRefused() {
    copies.end();
    assertThat(copies.add(tracing)).isFalse();
    assertThat(copies.present()).isEmpty();
  }
}
