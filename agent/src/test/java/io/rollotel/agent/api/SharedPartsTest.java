package io.rollotel.agent.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.api.SharedParts.Parts;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.log.Stderr;
import io.rollotel.agent.settings.CurrentSettings;
import io.rollotel.agent.settings.TestSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SharedPartsTest {

  private final AtomicInteger firstUses = new AtomicInteger();
  private final SharedParts shared =
      new SharedParts(new CurrentSettings(TestSettings.of("")), firstUses::incrementAndGet);

  @AfterEach
  void reset() {
    AgentLog.listen(null);
    System.getProperties().keySet().removeIf(name -> name.toString().startsWith("roll.otel."));
  }

  /** Of the agent's own settings, and of the collector's. */
  @ParameterizedTest
  @ValueSource(strings = {"roll.otel.role", "roll.otel.collector"})
  void complaintThatIsTraced_makesThePartsOnce(String property) {
    System.setProperty(property, "nonsense");
    List<Parts> inside = new ArrayList<>();
    AgentLog.listen(line -> inside.add(shared.start()));
    try (Stderr stderr = new Stderr()) {
      Parts made = shared.start();
      assertThat(stderr.lines()).hasSize(1);
      assertThat(inside).hasSize(1).allMatch(parts -> parts == made);
      assertThat(shared.made()).isSameAs(made);
      assertThat(firstUses).hasValue(1);
    }
  }

  @Test
  void linkAfterTheFirstUse_runsItAgainUnlessTracingHasEnded() {
    shared.linked();
    assertThat(firstUses).as("before the first use").hasValue(0);
    shared.start();
    shared.linked();
    assertThat(firstUses).hasValue(2);
    shared.end();
    shared.linked();
    assertThat(firstUses).hasValue(2);
  }
}
