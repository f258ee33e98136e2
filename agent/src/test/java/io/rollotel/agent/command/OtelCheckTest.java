package io.rollotel.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.settings.Settings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OtelCheckTest {

  private static final String ENDPOINT = "otel.exporter.otlp.endpoint=http://localhost:1";

  @ParameterizedTest
  @CsvSource({
    "otel.traces.sampler=ratio, Unrecognized value for otel.traces.sampler: ratio",
    "otel.resource.attributes=team, Invalid map property",
    "otel.propagators=b4, Unrecognized value for otel.propagators: b4",
    "otel.exporter.otlp.timeout=abc, otel.exporter.otlp.timeout=abc",
    "otel.exporter.otlp.compression=zstd, 'takes gzip or none, not zstd'",
    "otel.exporter.otlp.headers=Authorization: Bearer x, OTEL_EXPORTER_OTLP_HEADERS takes key=value"
  })
  void wrongValue_failsWithItsCause(String setting, String cause) {
    List<Finding> findings = findings(setting, ENDPOINT);

    assertThat(findings).singleElement();
    assertThat(findings.get(0).line()).startsWith("FAIL  otel").contains(cause);
    assertThat(findings.get(0).line()).as("may be a secret").doesNotContain("Bearer");
  }

  @Test
  void goodValues_giveNoFinding() {
    assertThat(
            findings(
                "otel.traces.sampler=always_on",
                "otel.exporter.otlp.headers=authorization=Bearer%20x",
                ENDPOINT))
        .isEmpty();
  }

  private static List<Finding> findings(String... settings) {
    return new OtelCheck(Settings.attached(List.of(settings), Map.of())).findings();
  }
}
