package io.rollotel.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsInForceTest {

  @ParameterizedTest
  @CsvSource({
    "otel.exporter.otlp.headers, 'authorization=Bearer abc', (hidden)",
    "otel.exporter.otlp.client.key, /etc/key.pem, (hidden)",
    "otel.exporter.otlp.endpoint, http://me:secret@host:4318, http://(hidden)@host:4318",
    "otel.exporter.otlp.endpoint, http://me:se/cr@et@host:4318, http://(hidden)@host:4318",
    "otel.exporter.otlp.endpoint, 'http://a,http://me:s@b', 'http://a,http://(hidden)@b'",
    "otel.service.name, driver, driver"
  })
  void whatMayBeSecret_isNotShown(String name, String value, String shown) {
    assertThat(SettingsInForce.shown(name, value)).isEqualTo(shown);
  }
}
