package io.rollotel.traces.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import io.rollotel.traces.kit.Json;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code --where} of {@code report} and of {@code export}. */
class WhereTest {

  private static final long START = 1_795_269_422_000_000_000L;
  private static final long MS = 1_000_000;

  private CommandRun last = new CommandRun(0, "", "");

  @TempDir Path dir;

  /** Four steps with two calls each, of which every second fails with 500. */
  @BeforeEach
  void run() throws Exception {
    List<Span> steps = new ArrayList<>();
    List<List<Span>> calls = List.of(new ArrayList<>(), new ArrayList<>());
    for (int step = 0; step < 4; step++) {
      long at = START + 300 * MS * step;
      steps.add(Requests.span(step + 1, 1, 0, "pipeline_step", at, 200 * MS));
      for (int rank = 0; rank < 2; rank++) {
        Span.Builder call =
            Requests.span(step + 1, rank + 2, 1, "generate", at, (50 + 10 * step + rank) * MS)
                .toBuilder()
                .addAttributes(
                    KeyValue.newBuilder()
                        .setKey("http.status_code")
                        .setValue(AnyValue.newBuilder().setIntValue(rank == 0 ? 200 : 500)));
        if (rank == 1) {
          call.setStatus(
              Status.newBuilder().setCode(Status.StatusCode.STATUS_CODE_ERROR).setMessage("full"));
        }
        calls.get(rank).add(call.build());
      }
    }
    PlantedFile.write(
        dir.resolve("traces/traces.jsonl"),
        Requests.of(steps, "service.name", "driver", "service.instance.id", "d"),
        Requests.of(
            calls.get(0), "service.name", "actor", "service.instance.id", "a", "roll.rank", "0"),
        Requests.of(
            calls.get(1), "service.name", "actor", "service.instance.id", "b", "roll.rank", "1"));
  }

  private int run(String... arguments) {
    last = CommandRun.of(arguments);
    return last.code();
  }

  @Test
  void reportWhere_addsTheSpansThatMatch() {
    assertThat(run("report", dir.toString(), "--where", "http.status_code>=500 dur>55ms")).isZero();
    assertThat(last.out())
        .contains(
            "Spans that match http.status_code>=500 dur>55ms: 3 of 12, 213 ms in all",
            "generate      3  213 ms  71.0 ms  71.0 ms  81.0 ms  81.0 ms       3",
            "actor b (rank 1)      3  213 ms",
            "slowest that match")
        .containsPattern("generate +81\\.0 ms +actor b \\(rank 1\\) +0{31}4")
        .contains("pipeline_step      4"); // the rest belongs to the run
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          generate                       |  8
          full                           |  4
          rank:1 OR name=pipeline_step   |  8
          -status:error                  |  8
          http.status_code=200 start<1ms |  1
          path:yes status:error          |  4
          nothing                        |  0
          """)
  void reportWhere_saysHowManyMatch(String query, int matching) {
    assertThat(run("report", dir.toString(), "--where", query)).isZero();
    assertThat(last.out())
        .contains(
            "Spans that match "
                + query
                + ": "
                + matching
                + " of 12"
                + (matching == 0 ? "\n" : ","));
  }

  @Test
  void attributeThatNoSpanHas_isNamed() {
    assertThat(run("report", dir.toString(), "--where", "http.status=500 -nothing=1")).isZero();
    assertThat(last.out())
        .contains(": 0 of 12", "No span has an attribute http.status. To search for text,")
        .doesNotContain("attribute nothing");
  }

  /** Each trace is in a part of its own, or in one with others. */
  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "generate",
        "full",
        "status:error",
        "-status:error",
        "rank:1 OR name=pipeline_step",
        "http.status_code>=500 dur>55ms",
        "http.status_code=200 start<1ms",
        "start>299ms start<601ms",
        "path:yes status:error",
        "trace:3",
        "00000000000000000000000000000003",
        "dur>=50ms OR other.key=1",
        "http.status=500 -nothing=1",
        "nothing"
      })
  void whereByWayOfACache_saysTheSame(String query) {
    String cache = dir.resolve("cache").toString();
    for (String form : List.of("--json", "--width=100")) {
      assertThat(run("report", dir.toString(), form, "--where", query)).isZero();
      String known = last.out();
      assertThat(run("report", dir.toString(), form, "--where", query, "--cache", cache)).isZero();
      assertThat(last.out()).isEqualTo(known);
    }
  }

  @Test
  void jsonWhere_hasTheSameInAnObject() {
    assertThat(run("report", dir.toString(), "--json", "--where", "status:error")).isZero();
    Map<?, ?> where = (Map<?, ?>) ((Map<?, ?>) Json.parse(last.out())).get("where");
    assertThat(where.get("query")).isEqualTo("status:error");
    assertThat(where.get("spans")).hasToString("4");
    assertThat(where.get("ofSpans")).hasToString("12");
    assertThat(where.get("totalNanos")).hasToString("264000000");
    assertThat((List<?>) where.get("names")).hasSize(1);
    assertThat((List<?>) where.get("workers")).hasSize(1);
    assertThat((List<?>) where.get("slowest")).hasSize(4);
    assertThat(run("report", dir.toString(), "--json")).isZero();
    assertThat(last.out()).doesNotContain("\"where\"");
  }

  @Test
  void htmlWhere_isAPageThatBeginsWithTheQuery() throws Exception {
    Path page = dir.resolve("page.html");
    assertThat(run("report", dir.toString(), "--where", "rank:1", "--html", page.toString()))
        .isZero();
    assertThat(Files.readString(page)).contains("\"where\":\"rank:1\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"report", "export"})
  void wrongQuery_isTwoLines(String command) {
    String csv = "--csv=" + dir.resolve("x.csv");
    String[] call =
        command.equals("report")
            ? new String[] {command, dir.toString(), "--where", "rank:1 dur>1"}
            : new String[] {command, dir.toString(), csv, "--where", "rank:1 dur>1"};
    assertThat(run(call)).isEqualTo(2);
    assertThat(last.out()).isEmpty();
    assertThat(last.err().lines())
        .containsExactly(
            "--where, character 12: dur is a time: write a number with ns, us, ms, s, m or h, such"
                + " as 20ms.",
            "Try 'java -jar roll-otel-agent.jar " + command + " --help'.");
    assertThat(dir.resolve("x.csv")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource({"--trace=1", "--runs", "--against=x"})
  void where_goesNotWithEverything(String other) {
    assertThat(run("report", dir.toString(), other, "--where", "x")).isEqualTo(2);
    assertThat(last.err()).contains("--where goes with neither --trace nor --runs");
  }

  @ParameterizedTest
  @ValueSource(strings = {"csv", "jaeger", "perfetto"})
  void exportWhere_writesTheSpansThatMatch(String format) throws Exception {
    Path file = dir.resolve("out");
    String option = "--" + format + "=" + file;
    assertThat(run("export", dir.toString(), option, "--where", "http.status_code=500")).isZero();
    assertThat(last.out()).contains("4 spans written to ");
    String written = Files.readString(file);
    assertThat(written).contains("generate").doesNotContain("pipeline_step");
    if (!format.equals("csv")) {
      assertThat(written).contains("http.status_code").contains("500").doesNotContain("200,");
    }
  }

  @Test
  void profile_isChosenInAnotherWay() {
    assertThat(run("export", dir.toString(), "--pprof=" + dir.resolve("p"), "--where", "x"))
        .isEqualTo(2);
    assertThat(last.err())
        .contains("--where goes with --csv, --jaeger, --perfetto and --parquet alone.");
  }
}
