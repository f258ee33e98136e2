package io.rollotel.agent.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LibraryLoggerTest {

  @ParameterizedTest
  @ValueSource(
      strings = {"io.netty.util.NetUtilInitializations", "io.netty.util.internal.MacAddressUtil"})
  void hostWithoutANetwork_isLeftToTheExporterToReport(String name) {
    try (Stderr stderr = new Stderr()) {
      LibraryLogger.getLogger(name).log(Level.WARNING, "Failed to find the loopback interface");
      assertThat(stderr.lines()).isEmpty();
    }
  }

  @Test
  void hostWithoutAnAddress_isLeftToTheExporterToReport() {
    LibraryLogger logger = LibraryLogger.getLogger("io.grpc.internal.ManagedChannelImpl");
    try (Stderr stderr = new Stderr()) {
      logger.log(
          Level.WARNING,
          "[{0}] Failed to resolve name. status={1}",
          new Object[] {"Channel<1>", "UNAVAILABLE\n\tat java.base/java.net.InetAddress"});
      logger.log(Level.SEVERE, "Uncaught exception. Panic!");
      assertThat(stderr.lines())
          .containsExactly("[roll-otel] ManagedChannelImpl: Uncaught exception. Panic!");
    }
  }
}
