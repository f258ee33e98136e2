package io.rollotel.telemetry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.io.File;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The effect of environment variables, each in a JVM of its own. */
class EnvironmentTest {

  private static final List<String> DISABLED =
      List.of(
          "recording false", "spans 0", "injected [step]", "stale is left true", "attached false");

  private static final List<String> ENABLED =
      List.of(
          "recording true",
          "spans 1",
          "injected [_otel_ctx, step]",
          "stale is left false",
          "attached true");

  /** Enabled, and no agent there. */
  private static final String ABSENT =
      "[roll-otel] ROLL_OTEL_ENABLED is set, but this JVM runs without -javaagent";

  @Test
  void nothingSet_nothingHappens() throws Exception {
    assertThat(probe(Map.of())).isEqualTo(DISABLED);
  }

  @Test
  void environmentSaysYes_enabled() throws Exception {
    assertThat(enabled(probe(Map.of("ROLL_OTEL_ENABLED", "Yes")))).isEqualTo(ENABLED);
  }

  @Test
  void environmentSaysNo_disabled() throws Exception {
    assertThat(probe(Map.of("ROLL_OTEL_ENABLED", "0"))).isEqualTo(DISABLED);
  }

  @Test
  void environmentAndPropertyDisagree_environmentWins() throws Exception {
    assertThat(probe(Map.of("ROLL_OTEL_ENABLED", "0"), "-Droll.otel.enabled=true"))
        .isEqualTo(DISABLED);
    assertThat(enabled(probe(Map.of("ROLL_OTEL_ENABLED", "1"), "-Droll.otel.enabled=false")))
        .isEqualTo(ENABLED);
  }

  @Test
  void logSetToInfo_initSaysThatThereIsNoAgent() throws Exception {
    assertThat(probe(Map.of("ROLL_OTEL_ENABLED", "1", "ROLL_OTEL_LOG", "info")))
        .hasSize(ENABLED.size() + 2)
        .anyMatch(line -> line.startsWith(ABSENT))
        .anyMatch(line -> line.startsWith("[roll-otel] Telemetry.init(probe)"));
  }

  @Test
  void logSetToOff_initTwiceSaysNothing() throws Exception {
    assertThat(probe(Map.of("ROLL_OTEL_ENABLED", "1", "ROLL_OTEL_LOG", "off"), "-Dtwice=true"))
        .isEqualTo(ENABLED);
  }

  /** What it printed, but for the one line that the agent is absent. */
  private static List<String> enabled(List<String> printed) {
    assertThat(printed).filteredOn(line -> line.startsWith(ABSENT)).hasSize(1);
    return printed.stream().filter(line -> !line.startsWith(ABSENT)).toList();
  }

  private static List<String> probe(Map<String, String> environment, String... options)
      throws Exception {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx256m"));
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Probe.class.getName()));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder
        .environment()
        .keySet()
        .removeIf(name -> name.contains("OTEL") || name.contains("JAVA_"));
    builder.environment().putAll(environment);
    Process child = builder.start();
    child.getOutputStream().close();
    String output = new String(child.getInputStream().readAllBytes(), UTF_8);
    assertThat(child.waitFor(10, TimeUnit.MINUTES)).isTrue();
    assertThat(child.exitValue()).as(output).isZero();
    return output.lines().toList();
  }

  /** An application with an SDK, which prints what the facade does in it. */
  static final class Probe {

    public static void main(String[] arguments) {
      InMemorySpanExporter exporter = InMemorySpanExporter.create();
      GlobalOpenTelemetry.set(
          OpenTelemetrySdk.builder()
              .setTracerProvider(
                  SdkTracerProvider.builder()
                      .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                      .build())
              .build());
      Telemetry.init("probe");
      if (Boolean.getBoolean("twice")) {
        Telemetry.init("probe");
      }
      Span span = Telemetry.tracer().spanBuilder("probe").startSpan();
      System.out.println("recording " + span.isRecording());
      Map<String, Object> metaInfo = new HashMap<>(Map.of("step", 7));
      Map<String, Object> stale = new HashMap<>(Map.of("_otel_ctx", "stale"));
      try (Scope scope = span.makeCurrent()) {
        TraceContext.inject(metaInfo);
        TraceContext.inject(stale);
      }
      span.end();
      System.out.println("spans " + exporter.getFinishedSpanItems().size());
      System.out.println("injected " + new TreeSet<>(metaInfo.keySet()));
      System.out.println("stale is left " + "stale".equals(stale.get("_otel_ctx")));
      try (Scope scope = TraceContext.attach(metaInfo)) {
        System.out.println("attached " + Span.current().getSpanContext().isRemote());
      }
      Telemetry.shutdown();
    }
  }
}
