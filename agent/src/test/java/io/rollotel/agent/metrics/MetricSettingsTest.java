package io.rollotel.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.rollotel.agent.log.Stderr;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The user's settings for metrics. */
class MetricSettingsTest extends MetricReaderFixture {

  @ParameterizedTest
  @CsvSource(
      nullValues = "none",
      value = {"none, 60000", "5000, 5000", "2s, 2000", "100, 100", "1, 100", "0, 100"})
  void interval_isTheUsersButNotBelowATenthOfASecond(String given, long millis) {
    Map<String, String> config =
        given == null ? Map.of() : Map.of("otel.metric.export.interval", given);
    try (Process process = Process.withConfig(directory, config)) {
      assertThat(process.reports.getAsLong()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(millis));
    }
  }

  @Test
  void settingsThatAreNotUnderstood_leaveTheDefaultInterval() {
    try (Process process = new Process(directory, false, false, null, List.of())) {
      assertThat(process.reports.getAsLong()).isEqualTo(TimeUnit.SECONDS.toNanos(60));
    }
  }

  @ParameterizedTest
  @CsvSource({"none, true", "otlp, false", "'', false", "'none,otlp', false"})
  void exporters_areNoneOnlyWhereTheUserSaysThatAlone(String names, boolean none) {
    List<String> exporters = names.isEmpty() ? List.of() : List.of(names.split(","));
    try (Process process = new Process(directory, false, false, null, exporters)) {
      assertThat(process.reports.isNone()).isEqualTo(none);
    }
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "none",
      value = {
        // what is set, the temporality of a histogram and of an up-down counter, complaints
        "none, CUMULATIVE, CUMULATIVE, 0",
        "cumulative, CUMULATIVE, CUMULATIVE, 0",
        "Delta, DELTA, CUMULATIVE, 0",
        "lowmemory, DELTA, CUMULATIVE, 0",
        "both, CUMULATIVE, CUMULATIVE, 1",
      })
  void temporality_isTheUsers(
      String given,
      AggregationTemporality histogram,
      AggregationTemporality upDown,
      int complaints) {
    String name = "otel.exporter.otlp.metrics.temporality.preference";
    try (Stderr stderr = new Stderr();
        Process process =
            Process.withConfig(directory, given == null ? Map.of() : Map.of(name, given))) {
      assertThat(process.reports.getAggregationTemporality(InstrumentType.HISTOGRAM))
          .isEqualTo(histogram);
      assertThat(process.reports.getAggregationTemporality(InstrumentType.UP_DOWN_COUNTER))
          .isEqualTo(upDown);
      assertThat(stderr.lines())
          .hasSize(complaints)
          .allMatch(
              line -> line.contains("exported with default settings") && line.contains("both"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "explicit_bucket_histogram, Default",
    "base2_exponential_bucket_histogram, Exponential"
  })
  void histograms_areOfTheUsersKind(String given, String kind) {
    String name = "otel.exporter.otlp.metrics.default.histogram.aggregation";
    try (Process process = Process.withConfig(directory, Map.of(name, given))) {
      assertThat(process.reports.getDefaultAggregation(InstrumentType.HISTOGRAM).toString())
          .containsIgnoringCase(kind);
    }
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "none",
      value = {
        "none, TraceBased",
        "trace_based, TraceBased",
        "always_off, AlwaysOff",
        "ALWAYS_ON, AlwaysOn",
        "sometimes, TraceBased",
      })
  void exemplars_areChosenAsTheUserWants(String given, String filter) {
    Map<String, String> config =
        given == null ? Map.of() : Map.of("otel.metrics.exemplar.filter", given);
    try (Process process = Process.withConfig(directory, config)) {
      assertThat(process.reports.exemplarFilter().getClass().getSimpleName()).startsWith(filter);
    }
  }

  /** A worker may learn its run from its first call, after its meters were created. */
  @Test
  void report_isOfTheRun() throws Exception {
    try (Process process = Process.alone(directory)) {
      process.count("jobs");
      process.round();
      assertThat(process.ownLines()).singleElement().asString().contains("\"roll.run_id\"");
    }
  }
}
