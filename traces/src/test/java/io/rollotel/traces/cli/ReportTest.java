package io.rollotel.traces.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.trace.v1.Span;
import io.rollotel.traces.kit.Json;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code report} and {@code export} as they are called. */
class ReportTest {

  private static final String TEMPLATE = "roll.otel.trace.url.template";
  private static final long START = 1_795_269_422_000_000_000L;
  private static final long MS = 1_000_000;

  private CommandRun last = new CommandRun(0, "", "");

  @TempDir Path dir;

  /** Two runs of twenty steps each, of which the second's train takes half as long again. */
  @BeforeEach
  void runs() throws Exception {
    plant("one", 1, START, 100);
    plant("two", 101, START + 1_000_000 * MS, 150);
  }

  @AfterEach
  void forget() {
    System.clearProperty(TEMPLATE);
  }

  private void plant(String runId, int firstTrace, long start, long trainMillis) throws Exception {
    plant(runId, firstTrace, start, trainMillis, 20);
  }

  private void plant(String runId, int firstTrace, long start, long trainMillis, int steps)
      throws Exception {
    List<Span> spans = new ArrayList<>();
    long at = start;
    for (int step = 0; step < steps; step++) {
      long trace = firstTrace + step;
      long train = trainMillis * MS + step;
      spans.add(Requests.span(trace, 1, 0, "pipeline_step", at, train + 50 * MS));
      spans.add(Requests.span(trace, 2, 1, "generate", at, 50 * MS + 7 * (step % 3)));
      spans.add(Requests.span(trace, 3, 1, "train", at + 50 * MS, train));
      at += 300 * MS;
    }
    PlantedFile.write(
        dir.resolve(runId).resolve("traces/traces.jsonl"),
        Requests.of(spans, "roll.run_id", runId, "service.name", "driver"));
  }

  @Test
  void runsOfADirectory_standSideBySide() {
    assertThat(run("report", dir.toString(), "--runs")).isZero();
    assertThat(last.out())
        .startsWith("2 runs")
        .containsPattern("one +2026.* 20 +150 ms +- +ended")
        .containsPattern("two +2026.* 20 +200 ms +1\\.33 +ended")
        .contains(
            "What would save time in each:",
            "  one: 33%, 1.00 s: phase",
            "  two: 38%, 1.50 s: phase");
    assertThat(run("report", dir.toString(), "--runs", "--json")).isZero();
    assertThat(last.out()).startsWith("{\"schemaVersion\":1,\"runs\":[{\"run\":\"one\",");
    assertThat(run("report", dir.toString(), "--runs", "--run", "one")).isEqualTo(2);
    assertThat(last.err()).contains("--runs goes with none of --run");
  }

  /** How a third run, after one of 150 ms and one of 200 ms for each step, is judged. */
  @ParameterizedTest
  @CsvSource({
    "1, 400, two, false, true", // one step may take longer by chance
    "3, 400, two, false, true",
    "4, 400, two, true, false",
    "20, 151, two, false, false", // slower beyond chance, but by less than a tenth
  })
  void runOfFewSteps_isNotCalledSlower(
      int steps, long trainMillis, String ratioTo, boolean isSlower, boolean isTooFew)
      throws Exception {
    plant("three", 201, START + 2_000_000 * MS, trainMillis, steps);
    Map<?, ?> third = third();
    assertThat(third.get("ratioTo")).isEqualTo(ratioTo);
    assertThat(third.get("stepsAreSlower")).isEqualTo(isSlower);
    assertThat(third.get("tooFewSteps")).isEqualTo(isTooFew);
  }

  /** An aborted run stands between two whole ones. */
  @ParameterizedTest
  @CsvSource({"0", "1", "3"})
  void abortedRun_hidesNoSlowdown(int steps) throws Exception {
    plant("aborted", 201, START + 2_000_000 * MS, 900, steps);
    if (steps == 0) {
      PlantedFile.write(
          dir.resolve("aborted").resolve("traces/traces.jsonl"),
          Requests.of(
              List.of(Requests.span(900, 1, 0, "load", START + 2_000_000 * MS, MS)),
              "roll.run_id",
              "aborted",
              "service.name",
              "driver"));
    }
    plant("whole", 301, START + 3_000_000 * MS, 350);
    assertThat(run("report", dir.toString(), "--runs", "--json")).isZero();
    List<?> runs = (List<?>) ((Map<?, ?>) Json.parse(last.out())).get("runs");
    assertThat(runs.get(3).toString())
        .contains("ratioTo=two", "ratio=1.99999", "stepsAreSlower=true");
  }

  private Map<?, ?> third() {
    assertThat(run("report", dir.toString(), "--runs", "--json")).isZero();
    return (Map<?, ?>) ((List<?>) ((Map<?, ?>) Json.parse(last.out())).get("runs")).get(2);
  }

  @Test
  void runWithFactsButNoSavings_isNotAmongTheSavingsOfAllRuns() throws Exception {
    List<Span> spans = List.of(Requests.span(900, 2, 1, "call", START, MS));
    PlantedFile.write(
        dir.resolve("rootless").resolve("traces/traces.jsonl"),
        Requests.of(spans, "roll.run_id", "rootless", "service.name", "driver"));
    assertThat(run("report", dir.toString(), "--run=rootless", "--json")).isZero();
    assertThat(last.out()).contains("\"kind\":\"missing-root\"");
    assertThat(run("report", dir.toString(), "--runs")).isZero();
    assertThat(last.out()).contains("3 runs").doesNotContain("has no root");
  }

  @Test
  void reportByWayOfACache_saysTheSame() throws Exception {
    Path cache = dir.resolve("cache");
    String runs = dir.resolve("one").toString();
    for (String[] options :
        List.of(
            new String[] {},
            new String[] {"--json"},
            new String[] {"--runs"},
            new String[] {"--trace", "0000000000000000000000000000000" + 3},
            new String[] {"--where", "w1"},
            new String[] {"--against", dir.resolve("two").toString()})) {
      assertThat(run(with(options, "report", runs))).isZero();
      String known = last.out();
      assertThat(run(with(options, "report", runs, "--cache", cache.toString()))).isZero();
      assertThat(last.out()).isEqualTo(known);
    }
    assertThat(Files.list(cache)).isNotEmpty();
  }

  @Test
  void pagesByWayOfACache_areOfTwoRunsAndOfAll() throws Exception {
    String cache = dir.resolve("cache").toString();
    String other = dir.resolve("one").toString();
    Path page = dir.resolve("pages/compared.html");
    String[] compared = {"report", dir.resolve("two").toString(), "--against", other};
    assertThat(run(compared)).isZero();
    String said = last.out();
    assertThat(run(with(new String[] {"--html", page.toString(), "--cache", cache}, compared)))
        .isZero();
    assertThat(last.out()).startsWith(said.strip()).contains("The page: " + page);
    assertThat(Files.readString(page))
        .contains("\"baseline\":{\"run\":\"one\"", "\"selection\":{\"traces\":20,");
    Path index = dir.resolve("pages/index.html");
    assertThat(
            run(
                "report",
                dir.toString(),
                "--runs",
                "--pages",
                "--html",
                index.toString(),
                "--cache",
                cache))
        .isZero();
    assertThat(Files.readString(index.resolveSibling("run-one.html")))
        .contains("\"run\":\"one\"", "\"selection\":{\"traces\":20,");
  }

  @Test
  void cacheOfADirectoryThatGrows_readsWhatIsNew() throws Exception {
    String[] report = {"report", dir.toString(), "--cache", dir.resolve("cache").toString()};
    assertThat(run(report)).isZero();
    plant("three", 201, START + 2_000_000 * MS, 100);
    assertThat(run(report)).isZero();
    assertThat(last.out()).contains("Run three", "20 steps");
  }

  private static String[] with(String[] options, String... before) {
    List<String> all = new ArrayList<>(List.of(before));
    all.addAll(List.of(options));
    return all.toArray(String[]::new);
  }

  @Test
  void pageOfRuns_linksThePagesThatAreBesideIt() throws Exception {
    Path index = dir.resolve("pages/index.html");
    assertThat(run("report", dir.toString(), "--runs", "--html", index.toString())).isZero();
    assertThat(last.out()).startsWith("The page: " + index);
    assertThat(Files.readString(index)).contains("\"run\":\"one\"").doesNotContain("run-one.html");
    assertThat(run("report", dir.toString(), "--runs", "--html", index.toString(), "--pages"))
        .isZero();
    assertThat(last.out()).contains("run-*.html (2 of 2 runs)", "The page: " + index);
    assertThat(Files.readString(index))
        .contains("\"page\":\"run-one.html\"", "\"page\":\"run-two.html\"");
    assertThat(Files.readString(index.resolveSibling("run-one.html")))
        .contains("\"run\":\"one\"")
        .contains("<title>roll-otel report</title>");
    assertThat(run("report", dir.toString(), "--runs", "--pages")).isEqualTo(2);
    assertThat(last.err()).contains("--pages needs --runs and --html");
  }

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

  @Test
  void slowerRun_failsWithCodeThreeWhereItIsTooSlow() {
    String one = dir.resolve("one").toString();
    String two = dir.resolve("two").toString();
    assertThat(run("report", two, "--against", one)).isZero();
    assertThat(last.out())
        .startsWith("Run two against run one")
        .contains("phase   train          100 ms  150 ms   1.50")
        .contains("Nothing got significantly faster.")
        .contains("2 comparisons show no significant difference");
    assertThat(run("report", two, "--against", one, "--fail-on-regression", "40")).isEqualTo(3);
    assertThat(run("report", two, "--against", one, "--fail-on-regression", "60")).isZero();
    assertThat(run("report", one, "--against", two, "--fail-on-regression", "0")).isZero();
    assertThat(last.err()).isEmpty();
  }

  @Test
  void whatMadeTheCode_isTheLastLine() {
    String one = "--against=" + dir.resolve("one");
    String two = dir.resolve("two").toString();
    assertThat(run("report", two, one, "--fail-on-regression=40")).isEqualTo(3);
    String line =
        "Exit code 3: slower by 40% or more: phase train, 150 ms against 100 ms, ratio 1.50"
            + " (1.50 to 1.50); and 1 other";
    assertThat(last.out().lines().toList()).endsWith(line);
    assertThat(run("report", two, one, "--fail-on-regression=40", "--json")).isEqualTo(3);
    assertThat(last.out().lines()).hasSize(1); // one object only
    assertThat(last.err().trim()).isEqualTo(line);
    assertThat(run("report", two, one, "--fail-on-regression=60")).isZero();
    assertThat(last.out()).doesNotContain("Exit code");
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
  void gateOnSteps_looksAtNothingElse() {
    String one = "--against=" + dir.resolve("one");
    String two = dir.resolve("two").toString();
    // A train of 1.5 times as long makes steps of 1.33 times.
    assertThat(run("report", two, one, "--fail-on-regression=40", "--fail-on=steps")).isZero();
    assertThat(run("report", two, one, "--fail-on-regression=30", "--fail-on=steps")).isEqualTo(3);
    assertThat(last.out()).contains("Exit code 3: slower by 30% or more: step, 200 ms against");
    assertThat(run("report", two, one, "--fail-on-regression=40", "--fail-on=any")).isEqualTo(3);
    assertThat(run("report", two, one, "--fail-on-regression=40", "--fail-on=names")).isEqualTo(2);
  }

  @Test
  void fewSteps_endWithACodeOfTheirOwn() throws Exception {
    plant("few", 201, START, 100, 3);
    plant("slow", 301, START, 200, 3);
    String few = "--against=" + dir.resolve("few");
    String slow = dir.resolve("slow").toString();
    for (String scope : List.of("any", "steps")) {
      assertThat(run("report", slow, few, "--fail-on-regression=50", "--fail-on=" + scope))
          .isEqualTo(4);
      assertThat(last.out())
          .doesNotContain("Nothing got significantly slower")
          .contains("Exit code 4: too few to tell whether it is slower by 50%: step, 3 against 3");
    }
    assertThat(run("report", slow, few, "--json")).isZero();
    assertThat(last.out()).contains("\"tooFew\":true,\"ratioLow\":1.6");
  }

  @Test
  void againstARunOfTheSameFiles_isTakenByItsId() {
    assertThat(run("report", dir.toString(), "--against=one", "--fail-on-regression=40"))
        .isEqualTo(3);
    assertThat(run("report", dir.toString(), "--against=one", "--json")).isZero();
    assertThat(last.out()).startsWith("{\"schemaVersion\":1,\"run\":\"two\",\"against\":\"one\"");
    assertThat(run("report", dir.toString(), "--against=none")).isEqualTo(1);
    assertThat(last.err()).contains("There is no file or directory none, nor a run with that id.");
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

  private int run(String... arguments) {
    last = CommandRun.of(arguments);
    return last.code();
  }
}
