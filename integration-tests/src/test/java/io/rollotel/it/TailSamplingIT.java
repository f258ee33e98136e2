package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.rollotel.it.kit.GrpcExport;
import io.rollotel.it.kit.Otelcol;
import io.rollotel.it.kit.Patience;
import io.rollotel.it.kit.SpanRequest;
import io.rollotel.traces.analysis.ThinnedCount.Interval;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A gateway that keeps slow and failed traces and one in ten of the others, in front of a report
 * that says how many there were.
 */
@Tag("engines")
class TailSamplingIT {

  private static final int TRACES = 8_000;
  private static final int SPANS = 5;
  private static final int ONE_IN = 10;
  private static final int TRACES_OF_A_REQUEST = 50;
  private static final long MILLIS = 1_000_000;

  /** Of traces that their own source has taken one in two of. */
  private static final String HALF = "ot=th:8";

  private @TempDir Path directory;

  @Test
  void slowAndFailedTraces_areAllKeptAndTheReportKnowsHowManyOthersThereWere() throws Exception {
    Path files;
    try (Otelcol gateway =
        new Otelcol(directory, "gateway-tail-sampling.yaml")
            .environment("DECISION_WAIT", "60s")
            .environment("DECISION_WAIT_AFTER_ROOT", "2s")
            .environment("SLOW_MS", "1000")
            .environment("REST_PERCENT", Integer.toString(100 / ONE_IN))
            .options("--feature-gates=processor.tailsamplingprocessor.usetracestate")
            .start()) {
      files = gateway.files();
      ManagedChannel channel =
          NettyChannelBuilder.forAddress("127.0.0.1", gateway.grpcPort()).usePlaintext().build();
      try {
        List<Integer> sent = new ArrayList<>();
        for (int trace = 2 * TRACES - 1; trace >= 0; trace--) {
          if (!isThinned(trace) || isTakenAtTheSource(trace)) {
            sent.add(trace);
          }
        }
        for (int i = 0; i < sent.size(); i += TRACES_OF_A_REQUEST) {
          List<Integer> traces = sent.subList(i, Math.min(sent.size(), i + TRACES_OF_A_REQUEST));
          send(channel, traces, 1, SPANS - 1); // workers first, then the step
          send(channel, traces, 0, 1);
        }
        long matter = sent.stream().filter(TailSamplingIT::matters).count();
        Patience.until(
            () -> "all of " + matter + " slow and failed traces are kept",
            () ->
                byTrace(files).keySet().stream().filter(TailSamplingIT::matters).count() == matter);
        // The last worker of each trace arrives after the decision.
        for (int i = 0; i < sent.size(); i += TRACES_OF_A_REQUEST) {
          send(
              channel,
              sent.subList(i, Math.min(sent.size(), i + TRACES_OF_A_REQUEST)),
              SPANS - 1,
              SPANS);
        }
      } finally {
        channel.shutdownNow();
      }
      gateway.stop();
    }

    byTrace(files)
        .forEach(
            (trace, spans) -> {
              assertThat(spans).as("trace %d is whole", trace).hasSize(SPANS);
              double ofSlow = isThinned(trace) ? 2 : 1;
              assertThat(spans.stream().mapToDouble(Span::weight).max().orElseThrow())
                  .as("weight of trace %d", trace)
                  .isCloseTo(matters(trace) ? ofSlow : ONE_IN, within(1e-6));
            });
    RunReport report = RunReport.read(List.of(files), ReportOptions.latestRun());
    ReportContents.StandsFor standsFor = report.contents().header().standsFor();
    assertThat(standsFor).isNotNull();
    assertHolds(standsFor.allTraces(), 2 * TRACES);
    assertHolds(standsFor.allSpans(), 2 * TRACES * SPANS);
    assertThat(standsFor.spans()).isEqualTo(SPANS * standsFor.traces());
    assertThat(report.contents().header().traces()).isLessThan(2 * TRACES / 5);
  }

  private static void assertHolds(Interval interval, long truth) {
    assertThat(truth).isBetween(interval.low(), interval.high());
    assertThat(interval.high() - interval.low()).isLessThan(truth / 5);
  }

  private static boolean matters(int trace) {
    return isSlow(trace) || isFailed(trace);
  }

  private static boolean isSlow(int trace) {
    return trace % 100 == 0; // the last that is sent is one
  }

  private static boolean isFailed(int trace) {
    return trace % 100 == 13;
  }

  private static boolean isThinned(int trace) {
    return trace >= TRACES;
  }

  /** As a consistent sampler decides: by the last 56 bits of the trace's id. */
  private static boolean isTakenAtTheSource(int trace) {
    return Long.parseUnsignedLong(SpanRequest.traceId(trace).substring(18), 16) >= 1L << 55;
  }

  /** Sends a part of each of these traces: span 0 is the step, the others are workers. */
  private static void send(ManagedChannel channel, List<Integer> traces, int from, int to)
      throws Exception {
    SpanRequest request = new SpanRequest("trainer");
    for (int trace : traces) {
      long start = 1_800_000_000_000L * MILLIS + trace * 10 * MILLIS;
      long root = (long) trace * SPANS + 1;
      for (int place = from; place < to; place++) {
        long lasts = (isSlow(trace) && place == 0 ? 2_000 : 5) * MILLIS;
        request.add(
            trace,
            root + place,
            place == 0 ? 0 : root,
            place == 0 ? "step" : "generate",
            start,
            start + lasts,
            isFailed(trace) && place == 1,
            isThinned(trace) ? HALF : "");
      }
    }
    CompletableFuture<Status> answer = new CompletableFuture<>();
    GrpcExport.send(channel, request.bytes(), "identity", answer::complete);
    assertThat(answer.get().isOk()).as("%s", answer.get()).isTrue();
  }

  private static Map<Integer, List<Span>> byTrace(Path files) throws IOException {
    Map<Integer, List<Span>> traces = new HashMap<>();
    new TracesReader()
        .read(
            files,
            span ->
                traces
                    .computeIfAbsent(
                        (Integer.parseInt(span.spanId(), 16) - 1) / SPANS,
                        none -> new ArrayList<>())
                    .add(span));
    return traces;
  }
}
