package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code prefetch}, {@code exec} and {@code to_remote} of plain Java, in ROLL's shape. */
class PhasesIT {

  private static final List<List<String>> TREES =
      List.of(
          List.of(
              "train", "prefetch < train", "exec < train", "by hand < exec", "to_remote < train"),
          List.of("train", "prefetch < train", "exec < train", "inner < exec"),
          // The agent knows from the first call on that a method stores.
          List.of("storing", "to_remote < storing"),
          List.of("storing", "exec < storing", "to_remote < storing"),
          List.of("train", "by hand < train", "prefetch < by hand"),
          List.of(
              "train",
              "prefetch < train",
              "exec < train",
              "to_remote < train",
              "prefetch < train",
              "exec < train",
              "to_remote < train"),
          List.of("train", "prefetch < train"), // on another thread
          List.of(
              "train: IllegalStateException: no gradient",
              "prefetch < train",
              "exec < train: IllegalStateException: no gradient"),
          List.of(
              "train: IllegalStateException: no payload",
              "prefetch < train: IllegalStateException: no payload"),
          List.of("train", "prefetch < train", "exec < train"), // a future
          List.of()); // suppressed

  private @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"local", "suppress"})
  void phases_areBelowTheWorkerBesideExec(String noContext) throws Exception {
    Result result = program().environment("ROLL_OTEL_NO_CONTEXT", noContext).run().isClean();

    assertThat(result.lines())
        .containsExactly(
            "caught no gradient", "caught no payload", "fetched false", "current true");
    Map<Integer, List<String>> trees = trees(result);
    if (noContext.equals("suppress")) {
      // ROLL's rule: a payload that is passed on is a call of its sender.
      assertThat(trees.remove(2))
          .containsExactly("train", "prefetch < train", "exec < train", "inner");
      trees.put(2, TREES.get(1));
    }
    for (int i = 0; i < TREES.size(); i++) {
      assertThat(trees.getOrDefault(i + 1, List.of()))
          .as("situation %s", i + 1)
          .containsExactlyElementsOf(TREES.get(i));
    }
    // Outside a worker call there is a span made by hand, and no phase.
    assertThat(result.spans())
        .filteredOn(span -> !span.traceId().startsWith("0".repeat(24)))
        .extracting(Span::name)
        .containsExactly("by hand");
  }

  @Test
  void execAlways_isEachStretchOfTheWorkersOwnCode() throws Exception {
    Map<Integer, List<String>> trees =
        trees(program().environment("ROLL_OTEL_EXEC", "always").run().isClean());

    assertThat(trees.get(1))
        .containsExactly(
            "train",
            "exec < train",
            "prefetch < train",
            "exec < train",
            "by hand < exec",
            "to_remote < train");
    assertThat(trees.get(3)).containsExactly("storing", "exec < storing", "to_remote < storing");
  }

  @Test
  void execAlways_isNotBelowAStep() throws Exception {
    Result result =
        ProgramRun.of(directory, StepWorker.class)
            .environment("ROLL_OTEL_EXEC", "always")
            .run()
            .isClean();
    assertThat(result.spans())
        .extracting(Span::name)
        .containsExactlyInAnyOrder(
            "pipeline_step", "worker.train", "exec", "pipeline_step", "worker.train", "exec");
  }

  @Test
  void failure_isAnEventOfExecAsWellAndItsStackIsPrintedOnce() throws Exception {
    Result result = program().run();

    String lines =
        String.join(
            "\n",
            Files.readAllLines(result.directory().resolve("output/otlp/traces/traces.jsonl")));
    List<String> failed =
        Stream.of(lines.split("(?=\"traceId\")"))
            .filter(span -> span.startsWith("\"traceId\":\"" + "0".repeat(31) + "8"))
            .filter(span -> span.contains("exception.message"))
            .toList();
    assertThat(failed).hasSize(2).allMatch(span -> span.contains("no gradient"));
    assertThat(failed)
        .filteredOn(span -> span.contains("exception.stacktrace"))
        .singleElement()
        .satisfies(span -> assertThat(span).contains("worker.train"));
  }

  private ProgramRun program() throws Exception {
    return ProgramRun.of(directory, PhaseWorker.class)
        .telemetry()
        .openTelemetry(System.getProperty("opentelemetry.newest"), false);
  }

  /** By situation: spans in the order of their starts, each with its parent and outcome. */
  private static Map<Integer, List<String>> trees(Result result) throws Exception {
    Map<String, Span> byId = new HashMap<>();
    result.spans().forEach(span -> byId.put(span.spanId(), span));
    List<Span> ordered = new ArrayList<>(byId.values());
    ordered.sort(Comparator.comparingLong(Span::startEpochNanos));
    Map<Integer, List<String>> trees = new TreeMap<>();
    for (Span span : ordered) {
      if (span.traceId().startsWith("0".repeat(24))) {
        Span parent = byId.get(span.parentSpanId());
        trees
            .computeIfAbsent(
                Integer.parseInt(span.traceId().substring(24), 16), i -> new ArrayList<>())
            .add(
                shortName(span)
                    + (parent == null ? "" : " < " + shortName(parent))
                    + (span.statusCode() == Span.STATUS_ERROR ? ": " + span.failure() : ""));
      }
    }
    return trees;
  }

  private static String shortName(Span span) {
    return span.name().replace("worker.", "");
  }
}
