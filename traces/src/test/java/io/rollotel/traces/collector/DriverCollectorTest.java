package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.collector.Rendezvous.Collector;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DriverCollectorTest extends RendezvousFixture {

  /** A limit of threads, which lets the first socket have one and the second none. */
  @Test
  void noThreadLeft_isTriedAgainAfterAPauseAndServesTheAnnouncedAddresses() throws Exception {
    AtomicInteger made = new AtomicInteger();
    ThreadFactory threads =
        task ->
            new Thread(task) {
              @Override
              public synchronized void start() {
                if (made.incrementAndGet() == 2) {
                  throw new OutOfMemoryError("planted");
                }
                setDaemon(true);
                super.start();
              }
            };
    Object lock = new Object();
    DriverFile file = new DriverFile(directory.toFile(), warnings::add, line -> {});
    try (Rendezvous run = join(true, null)) {
      DriverCollector driver =
          new DriverCollector(
              run,
              lock,
              file,
              directory.toFile(),
              CollectorSettings.ofDriver(),
              threads,
              warnings::add,
              line -> {});
      Collector announced;
      synchronized (lock) {
        driver.listen();
        announced = driver.announced();
      }
      assertThat(announced).isNotNull();
      for (int i = 0; i < 100; i++) {
        assertThat(driver.collector()).isNull();
      }
      assertThat(made).hasValue(2);
      assertThat(warnings).singleElement().asString().contains("cannot start", "until it can");

      await(() -> driver.collector() != null);
      assertThat(driver.collector()).isNotNull();
      assertThat(elsewhere(driver.collector())).isEqualTo(announced);
      for (URI address : Stream.of(announced.endpoint(), announced.grpc()).toList()) {
        new Socket(address.getHost(), address.getPort()).close(); // somebody listens
      }
      driver.close();
    }
    assertThat(warnings).hasSize(1);
  }
}
