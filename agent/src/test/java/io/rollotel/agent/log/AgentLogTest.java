package io.rollotel.agent.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AgentLogTest {

  @Test
  void textFromElsewhere_makesNoLinesAndSteersNothing() {
    try (Stderr stderr = new Stderr()) {
      AgentLog.warn("answer: \u001b[31m\u009b\u202e\n[roll-otel] all is well");
      assertThat(stderr.lines())
          .containsExactly(
              "[roll-otel] answer: \\u001b[31m\\u009b\\u202e\\u000a[roll-otel] all is well");
    }
  }
}
