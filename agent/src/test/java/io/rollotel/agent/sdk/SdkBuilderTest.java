package io.rollotel.agent.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.trace.SpanProcessor;
import io.rollotel.agent.export.BatchingSpanProcessor;
import io.rollotel.agent.export.FallbackExporter;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.recorder.Recorder;
import io.rollotel.agent.settings.Settings;
import io.rollotel.agent.span.ExceptionAttributes;
import io.rollotel.agent.span.OsSeededIdGenerator;
import io.rollotel.agent.span.Thinning;
import io.rollotel.traces.collector.Rendezvous;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SdkBuilderTest {

  private @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "otel.service.name=given",
        "otel.resource.attributes=service.name=given,team=rl%20one",
        "otel.service.name=given;otel.resource.attributes=service.name=other,team=rl",
        "otel.resource.attributes=",
        "otel.traces.exporter=none",
        "otel.traces.exporter=otlp, logging",
        "otel.metrics.exporter=none;otel.logs.exporter=none;otel.bsp.schedule.delay=7",
        "otel.metrics.exporter=otlp,none",
        "otel.exporter.otlp.endpoint=http://localhost:1;otel.exporter.otlp.protocol=http/protobuf",
        "otel.instrumentation.anything=true;otel.javaagent.debug=true"
      })
  void settingsThatShapeNoSpan_giveWhatAutoconfigurationGives(String arguments) {
    SdkBuilder direct = parts(arguments);
    assertThat(direct.areEnough()).isTrue();
    SdkBuilder automatic = parts(arguments);
    BuiltSdk made = direct.direct(Map.of());
    BuiltSdk configured = automatic.autoconfigured(new RecordedCustomizer(), Map.of());
    try {
      assertThat(withoutIdentities(made)).isEqualTo(withoutIdentities(configured));
      assertThat(direct.resource().last).isEqualTo(automatic.resource().last);
      assertThat(direct.metrics().exporters).isEqualTo(automatic.metrics().exporters);
      for (String name :
          new String[] {
            "otel.service.name",
            "otel.traces.exporter",
            "otel.metrics.exporter",
            "otel.bsp.schedule.delay",
            "otel.exporter.otlp.endpoint",
            "otel.exporter.otlp.traces.protocol"
          }) {
        assertThat(direct.metrics().config.getString(name))
            .isEqualTo(automatic.metrics().config.getString(name));
      }
    } finally {
      made.shutdown();
      configured.shutdown();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "otel.traces.sampler=always_off",
        "otel.propagators=b3",
        "otel.span.attribute.count.limit=3",
        "otel.attribute.value.length.limit=3",
        "otel.sdk.disabled=true",
        "otel.resource.disabled.keys=host.name",
        "otel.config.file=sdk.yaml",
        "otel.whatever.comes=1"
      })
  void settingThatMayShapeSpans_isForAutoconfiguration(String arguments) {
    assertThat(parts(arguments).areEnough()).isFalse();
  }

  private SdkBuilder parts(String arguments) {
    Settings settings = Settings.attached(List.of(arguments.split(";")), Map.of());
    Ledger account = new Ledger();
    Thinning thinning = new Thinning(account);
    Rendezvous rendezvous =
        new Rendezvous(directory.toFile(), false, false, "run", line -> {}, line -> {});
    FallbackExporter delivery = new FallbackExporter(settings, rendezvous, "host:1", account);
    return new SdkBuilder(
        settings,
        delivery,
        new BatchingSpanProcessor(delivery, account, new Recorder(0, directory.toFile()), thinning),
        SpanProcessor.composite(),
        new ProcessResource(settings, rendezvous, "host:1"),
        OsSeededIdGenerator.create(),
        new SdkBuilder.MetricSettings(),
        account,
        new ExceptionAttributes(),
        thinning);
  }

  private static String withoutIdentities(BuiltSdk sdk) {
    return (sdk.tracers() + " " + sdk.propagators()).replaceAll("@[0-9a-f]+|0x[0-9a-f]+", "");
  }
}
