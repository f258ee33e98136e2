package io.rollotel.traces.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.trace.v1.Span;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One trace of a run as a tree. */
class OneTraceTest extends ReportFixture {

  @Test
  void trace_isShownAsATreeWithItsPath() {
    assertThat(run("report", dir.toString(), "--run=one", "--trace", "0".repeat(31) + "1"))
        .isZero();
    assertThat(last.out())
        .contains("critical path 150 ms")
        .contains("  pipeline_step     +0 ns   150 ms           driver")
        .contains("    generate        +0 ns  50.0 ms  50.0 ms  driver")
        .contains("    train        +50.0 ms   100 ms   100 ms  driver");
    assertThat(run("report", dir.toString(), "--trace", "f")).isEqualTo(1);
    assertThat(last.err()).contains("The run has no trace f.");
  }

  /** In memory and in parts. */
  @ParameterizedTest
  @ValueSource(strings = {"", " --cache=CACHE"})
  void traceOfFewDigits_isTheFirstOfThoseThatBeginWithThem(String option) {
    String cache = option.replace("CACHE", dir.resolve("cache").toString());
    assertThat(ofRunOne("00" + cache)).isZero();
    assertThat(last.out().replaceAll("\\s+", " "))
        .startsWith("Trace " + "0".repeat(31) + "1 of run one")
        .contains("one of 20 traces of the run whose ids begin with 00. Give more digits")
        .contains("such as " + "0".repeat(31) + "2, ");
    assertThat(ofRunOne("0".repeat(30) + "14" + cache)).isZero();
    assertThat(last.out()).doesNotContain("Give more digits");
    assertThat(ofRunOne("0".repeat(30) + "70" + cache)).isOne(); // of run two
    assertThat(last.err()).contains("but another run has it: --run=two.");
  }

  private int ofRunOne(String traceAndOptions) {
    return run(("report " + dir + " --run=one --trace=" + traceAndOptions).split(" "));
  }

  @Test
  void deepTrace_isShownToItsEnd() throws Exception {
    List<Span> spans = new ArrayList<>();
    for (int depth = 0; depth < 300; depth++) {
      spans.add(Requests.span(7, depth + 1, depth, "f" + depth, START + depth, 1000 - 2 * depth));
    }
    Path file = PlantedFile.write(dir.resolve("deep/traces.jsonl"), Requests.of(spans));
    assertThat(run("report", file.toString(), "--trace=0")).isZero();
    assertThat(last.out())
        .contains("300 spans, 300 levels")
        .contains("                    f9 ", "                      f10 ", "11: f11 ", "299: f299 ")
        .doesNotContain("more");
  }

  @Test
  void spanWithoutTimes_isNotWhereItsTraceBegins() throws Exception {
    Path file =
        PlantedFile.write(
            dir.resolve("odd/traces.jsonl"),
            Requests.of(
                List.of(
                    Requests.span(7, 1, 9, "untimed", 0, 0),
                    Requests.span(7, 2, 9, "timed", START, 5))));
    assertThat(run("report", file.toString(), "--trace=0")).isZero();
    assertThat(last.out()).contains("started 2026-").containsPattern("timed \\? +\\+0 ns");
  }
}
