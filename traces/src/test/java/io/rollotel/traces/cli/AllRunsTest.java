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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code report --runs}: all runs of a directory side by side, from a cache as well. */
class AllRunsTest extends ReportFixture {

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
  void runWithoutTimes_beganAtAnUnknownTime() throws Exception {
    PlantedFile.write(
        dir.resolve("untimed").resolve("traces/traces.jsonl"),
        Requests.of(
            List.of(Requests.span(900, 1, 0, "work", 0, 0)),
            "roll.run_id",
            "untimed",
            "service.name",
            "driver"));
    assertThat(run("report", dir.toString(), "--runs")).isZero();
    assertThat(last.out()).containsPattern("untimed +unknown ").doesNotContain("1970-");
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
}
