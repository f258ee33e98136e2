package io.rollotel.traces.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.trace.v1.Span;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code report} and {@code export} as they are called. */
class ReportTest extends ReportFixture {

  @ParameterizedTest
  @CsvSource({"--html=-, --pages", "--html=/dev/stdout, --pages", "--html=-, --open"})
  void pageOnStandardOutput_goesWithNeitherPagesNorOpen(String html, String option) {
    assertThat(run("report", dir.toString(), "--runs", html, option)).isEqualTo(2);
    assertThat(last.err()).contains("--pages and --open need a file, not standard output.");
    assertThat(last.out()).isEmpty();
    assertThat(Path.of("run-one.html")).doesNotExist();
  }

  @Test
  void comparisonAsAPageOnStandardOutput_hasItsTextElsewhere() {
    String one = dir.resolve("one").toString();
    String two = dir.resolve("two").toString();
    String most = "--fail-on-regression=10";
    assertThat(run("report", two, "--against", one, "--html=-", most)).isEqualTo(3);
    assertThat(last.out().strip()).startsWith("<!").endsWith("</html>");
    assertThat(last.err()).startsWith("Run two against run one").contains("Exit code 3: ");
  }

  /** A driver's step of 100 ms, and a worker's call in it on a host that is a second ahead. */
  private String skewed() throws Exception {
    PlantedFile.write(
        dir.resolve("skewed/traces/traces.jsonl"),
        Requests.of(
            List.of(Requests.span(401, 1, 0, "pipeline_step", START, 100 * MS)),
            "roll.run_id",
            "skewed",
            "service.name",
            "driver",
            "host.name",
            "head"),
        Requests.of(
            List.of(Requests.span(401, 2, 1, "train", START + 1010 * MS, 80 * MS)),
            "roll.run_id",
            "skewed",
            "service.name",
            "worker",
            "host.name",
            "gpu"));
    return dir.resolve("skewed").toString();
  }

  @Test
  void clocks_areCorrectedUnlessTheUserWantsTimesAsTheyWereRecorded() throws Exception {
    String skewed = skewed();
    assertThat(run("report", skewed)).isZero();
    assertThat(last.out())
        .contains("took 100 ms")
        .contains("clocks: gpu was 1.00 s ahead of head (±10.0 ms); its times are corrected");
    assertThat(run("report", skewed, "--no-clock-correction")).isZero();
    assertThat(last.out())
        .contains("took 1.09 s")
        .contains("clocks: gpu is about 1.00 s ahead of head (±10.0 ms); no time is corrected");
    assertThat(run("report", "--help")).isZero();
    assertThat(last.out()).contains("--no-clock-correction");
  }

  @Test
  void export_hasTheTimesThatWereRecorded() throws Exception {
    Path csv = dir.resolve("skewed.csv");
    assertThat(run("export", skewed(), "--csv", csv.toString())).isZero();
    assertThat(Files.readString(csv)).contains(Long.toString(START + 1010 * MS));
  }

  @Test
  void json_hasLinksWhereATemplateIsSet() {
    System.setProperty(TEMPLATE, "https://jaeger/trace/{trace_id}?uiFind={span_id}#{traceparent}");
    assertThat(run("report", dir.toString(), "--json", "--run=one")).isZero();
    assertThat(last.out())
        .startsWith("{\"schemaVersion\":1,\"run\":\"one\",")
        .contains(
            "\"url\":\"https://jaeger/trace/00000000000000000000000000000001?uiFind="
                + "0000000000000001#00-00000000000000000000000000000001-0000000000000001-01\"");
  }

  @Test
  void jsonSchema_isPrintedWithoutReadingAnything() throws Exception {
    assertThat(run("report", "--json-schema")).isZero();
    assertThat(last.out()).isEqualTo(Files.readString(Path.of("../docs/report.schema.json")));
    assertThat(last.err()).isEmpty();
  }

  /** Persian has digits of its own. */
  @ParameterizedTest
  @ValueSource(strings = {"", "--runs", "--trace=0", "--against=DIR/two", "--where=dur>0s"})
  void digits_areTheSameInEveryLanguage(String option) throws Exception {
    String dirs = dir.resolve("one").toString();
    String[] all = ("report " + dirs + " " + option.replace("DIR", dir.toString())).split(" ");
    run(all);
    String said = last.out();
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("fa-IR"));
    try {
      run(all);
    } finally {
      Locale.setDefault(before);
    }
    assertThat(last.out()).isNotEmpty().matches("\\p{ASCII}*[\\p{ASCII}µ±]*").isEqualTo(said);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--runs", "--against=DIR/one"})
  void json_isUtf8WhateverTheTerminalTakes(String option) throws Exception {
    PlantedFile.write(
        dir.resolve("later/traces.jsonl"),
        Requests.of(
            List.of(Requests.span(900, 1, 0, "work", START + 2_000_000 * MS, MS)),
            "roll.run_id",
            "läufe ✓"));
    String dirs = dir.toString();
    String[] all = ("report --json " + dirs + " " + option.replace("DIR", dirs)).split(" ");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    @Nullable String before = System.setProperty("stdout.encoding", "ISO-8859-1");
    try {
      Main.run(
          new StandardOutput(out, Path.of("")),
          new PrintWriter(new StringWriter()),
          new Terminal(Map.of(), descriptor -> false, () -> ""),
          List.of(),
          all);
    } finally {
      if (before == null) {
        System.clearProperty("stdout.encoding");
      } else {
        System.setProperty("stdout.encoding", before);
      }
    }
    assertThat(out.toString(UTF_8)).contains("\"run\":\"läufe ✓\"");
  }

  @Test
  void html_isOneFileWhereverItIsWanted() throws Exception {
    Path page = dir.resolve("new/folder/page.html");
    System.setProperty(TEMPLATE, "https://jaeger/trace/{trace_id}");
    assertThat(run("report", dir.toString(), "--html", page.toString())).isZero();
    assertThat(last.out())
        .matches("(?s)The page: " + Pattern.quote(page.toString()) + " \\(0\\.\\d MB\\).*");
    assertThat(Files.readString(page))
        .startsWith("<!doctype html>")
        .contains("\"run\":\"two\"", "\"traceUrl\":\"https://jaeger/trace/{trace_id}\"");
    assertThat(run("report", dir.toString(), "--html", page.toString(), "--run=none")).isEqualTo(1);
    assertThat(run("report", dir.toString(), "--html", page.toString(), "--json")).isEqualTo(2);
    assertThat(run("report", dir.toString(), "--open", "--trace=1")).isEqualTo(2);
  }

  /** As after {@code report --html run.jsonl}, by a user who takes it for a switch. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "spans.jsonl  | {\"resourceSpans\":[]} | 2",
        "Main.java    | class Main {}           | 2",
        "page.html    | <!DOCTYPE html><p>old   | 0",
        "empty        | ''                      | 0",
      })
  void htmlIntoAFileThatIsNoPage_isRefused(String name, String content, int code) throws Exception {
    Path file = Files.writeString(dir.resolve(name), content);
    assertThat(run("report", dir.resolve("one").toString(), "--html", file.toString()))
        .isEqualTo(code);
    if (code == 0) {
      assertThat(Files.readString(file)).startsWith("<!doctype html>").doesNotContain("<p>old");
    } else {
      assertThat(file).hasContent(content);
      assertThat(last.err())
          .startsWith(file + " is not a page, so it is not replaced. --html takes");
    }
  }

  @Test
  void htmlAgainstARun_isThePageAndTheComparison() throws Exception {
    Path page = dir.resolve("page.html");
    String[] both = {"report", dir.toString(), "--html", page.toString(), "--against=one"};
    assertThat(run(both)).isZero();
    assertThat(last.out())
        .startsWith("Run two against run one")
        .contains("phase   train          100 ms  150 ms   1.50")
        .contains("The page: " + page);
    assertThat(Files.readString(page)).contains("\"run\":\"two\"");
    assertThat(
            run(
                "report",
                dir.toString(),
                "--html",
                page.toString(),
                "--against=one",
                "--fail-on-regression=40"))
        .isEqualTo(3);
    assertThat(last.out().lines().reduce((a, b) -> b).orElseThrow()).startsWith("Exit code 3: ");
    Files.delete(page);
    assertThat(run("report", dir.toString(), "--html", page.toString(), "--against=none"))
        .isEqualTo(1);
    assertThat(page).doesNotExist();
  }

  @Test
  void json_hasNoLinksWithoutATemplate() {
    assertThat(run("report", dir.toString(), "--json")).isZero();
    assertThat(last.out())
        .contains("\"name\":\"train\",\"count\":20,\"totalNanos\":3000000190,")
        .doesNotContain("\"url\"");
  }

  /** In memory and in parts. */
  @ParameterizedTest
  @CsvSource({"one, '', 0", "ring, '', 1", "one, --cache=CACHE, 0", "ring, --cache=CACHE, 1"})
  void ringOfParents_isCountedInItsRunAlone(String runId, String option, int rings)
      throws Exception {
    PlantedFile.write(
        dir.resolve("ring/traces.jsonl"),
        Requests.of(
            List.of(
                Requests.span(999, 1, 2, "a", START, 50 * MS),
                Requests.span(999, 2, 1, "b", START, 50 * MS)),
            "roll.run_id",
            "ring"));
    List<String> call = new ArrayList<>(List.of("report", dir.toString(), "--json"));
    call.add("--run=" + runId);
    if (!option.isEmpty()) {
      call.add(option.replace("CACHE", dir.resolve("cache").toString()));
    }
    assertThat(run(call.toArray(String[]::new))).isZero();
    assertThat(last.out()).contains("\"parentRings\":" + rings + ",");
  }

  /** By the columns of a terminal, of which some characters take two, and an accent none. */
  @Test
  void columnsAfterWideNames_areAligned() throws Exception {
    Path file =
        PlantedFile.write(
            dir.resolve("wide/traces.jsonl"),
            Requests.of(
                List.of(
                    Requests.span(1, 1, 0, "pipeline_step", START, 50 * MS),
                    Requests.span(1, 2, 1, "训练", START, 9 * MS),
                    Requests.span(1, 3, 1, "🚀", START, 8 * MS),
                    Requests.span(1, 4, 1, "e\u0301", START, 7 * MS))));
    assertThat(run("report", file.toString())).isZero();
    assertThat(last.out())
        .contains("\n  pipeline_step      1  ")
        .contains("\n  训练               1  ")
        .contains("\n  🚀                 1  ")
        .contains("\n  e\u0301                  1  ");
  }

  @ParameterizedTest
  @CsvSource({
    "'',              false, xterm, '', false",
    "'',              true,  xterm, '', true",
    "'',              true,  xterm, 1,  false",
    "'',              true,  dumb,  '', false",
    "--color=auto,    true,  xterm, '', true",
    "--color=always,  false, xterm, '', true",
    "--color=ALWAYS,  false, dumb,  1,  true",
    "--color=never,   true,  xterm, '', false",
  })
  void colours_areForTerminalsUnlessTheUserSaysOtherwise(
      String option, boolean isTerminal, String term, String noColor, boolean isColoured) {
    Terminal terminal =
        new Terminal(Map.of("TERM", term, "NO_COLOR", noColor), descriptor -> isTerminal, () -> "");
    String call = "report " + dir.resolve("one") + " " + option;
    CommandRun run = CommandRun.of(terminal, call.strip().split(" "));
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out().contains("\u001b[1mWhere is the time spent?")).isEqualTo(isColoured);
    assertThat(run.out().contains("\u001b")).isEqualTo(isColoured);
    String plain = CommandRun.of("report", dir.resolve("one").toString()).out();
    assertThat(run.out().replaceAll("\u001b\\[\\d+m", "")).isEqualTo(plain);
  }

  @Test
  void nameWithAnEscapeSequence_bringsNoColourEither() throws Exception {
    Path file =
        PlantedFile.write(
            dir.resolve("odd/traces.jsonl"),
            Requests.of(List.of(Requests.span(7, 1, 0, "\u001b[31mred", START, 5))));
    assertThat(run("report", file.toString(), "--color=always")).isZero();
    assertThat(last.out()).contains("\u001b[1m").doesNotContain("\u001b[31mred");
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 80, 100, 140})
  void report_isAsWideAsItMayBe(int columns) throws Exception {
    List<Span> spans = new ArrayList<>();
    String name = "com.acme.reinforcement.learning.workers.ActorWorker.generateSequences";
    spans.add(Requests.span(1, 1, 0, "pipeline_step", START, 500 * MS));
    for (int i = 2; i < 9; i++) {
      spans.add(Requests.span(1, i, 1, name + i, START + i * 50 * MS, 45 * MS));
    }
    Path file = PlantedFile.write(dir.resolve("wide/traces.jsonl"), Requests.of(spans));
    assertThat(run("report", file.toString(), "--width=" + columns)).isZero();
    assertThat(last.out().lines()).allMatch(line -> line.length() <= columns);
    assertThat(last.out().contains("\n  " + name + "2 ")).isEqualTo(columns == 140);
    String written = last.out();
    Terminal terminal = new Terminal(Map.of(), descriptor -> true, () -> "24 " + columns);
    assertThat(CommandRun.of(terminal, "report", file.toString(), "--color=never").out())
        .isEqualTo(written);
  }

  @Test
  void stepsOfAnotherName_areTaken() {
    assertThat(run("report", dir.toString(), "--step=train")).isZero();
    assertThat(last.out()).contains("20 steps, 3.00 s together, median 150 ms");
  }

  @Test
  void stepsOfAnUnknownName_areSaidToBeNone() {
    assertThat(run("report", dir.toString(), "--step=no_such")).isZero();
    assertThat(last.err())
        .isEqualTo(
            "No span has the name no_such (--step). The roots of traces have the names:"
                + " pipeline_step\n");
    assertThat(run("report", dir.toString(), "--step=train")).isZero();
    assertThat(last.err()).isEmpty();
  }

  @Test
  void severalDirectories_areRead() {
    assertThat(run("report", dir.resolve("one").toString(), dir.resolve("two").toString()))
        .isZero();
    assertThat(last.out()).startsWith("Run two,").contains("  one, started 2026");
  }

  @Test
  void export_writesANewFile() throws Exception {
    for (String format : List.of("csv", "jaeger", "perfetto")) {
      Path file = dir.resolve("run." + format);
      assertThat(run("export", dir.toString(), "--run=one", "--" + format, file.toString()))
          .as(last.err())
          .isZero();
      assertThat(last.out())
          .isEqualTo(
              "60 spans of run one written to "
                  + file
                  + "; 1 other run is left out (--run=ID)"
                  + System.lineSeparator());
      assertThat(Files.readString(file)).contains("train");
      assertThat(run("export", dir.toString(), "--" + format, file.toString())).isEqualTo(2);
      assertThat(last.err()).contains("already exists.");
    }
    assertThat(run("export", dir.toString(), "--run=x", "--csv", dir.resolve("x").toString()))
        .isEqualTo(1);
    assertThat(dir.resolve("x")).doesNotExist();
  }

  @Test
  void placeThatCannotBeWritten_isOneClearLine() throws Exception {
    Path file = Files.writeString(dir.resolve("file"), "no directory");
    String one = dir.resolve("one").toString();
    for (String option : List.of("--html", "--csv")) {
      String command = option.equals("--html") ? "report" : "export";
      Path below = file.resolve("page");
      assertThat(run(command, one, option, below.toString())).isEqualTo(1);
      assertThat(last.err())
          .startsWith("Cannot write " + below + ": ")
          .hasLineCount(1)
          .doesNotContain("read", "Exception");
    }
    assertThat(run("report", one, "--html", dir.toString())).isEqualTo(1);
    assertThat(last.err().trim()).isEqualTo("Cannot write " + dir + ": it is a directory.");
    Path nowhere = dir.resolve("no/such/folder/run.csv");
    assertThat(run("export", one, "--csv", nowhere.toString())).isEqualTo(1);
    assertThat(last.err().trim())
        .isEqualTo("Cannot write " + nowhere + ": there is no such directory.");
    if (Files.exists(Path.of("/dev/full"))) { // a disk without room, where there is such a thing
      assertThat(run("report", one, "--html", "/dev/full")).isEqualTo(1);
      assertThat(last.err().trim()).isEqualTo("Cannot write /dev/full: No space left on device.");
    }
  }
}
