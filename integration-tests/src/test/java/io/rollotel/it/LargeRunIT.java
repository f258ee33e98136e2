package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.Launched;
import io.rollotel.it.kit.ProgramRun;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reports of the shipped jar on a run whose spans do not fit into its heap. */
class LargeRunIT {

  private static final int STEPS = 15_000;
  private static final int WORKERS = 20;
  private static final long START = 1_795_269_422_000_000_000L;

  /** The time, the number, attributes, the level and the method. */
  private static final Pattern BY_SECOND_COMPILER =
      Pattern.compile("(?m)^ *\\d+ +\\d+[ %sb!n]+4 +io\\.rollotel\\.traces\\.[a-z.]+(\\w+)::");

  private static @TempDir Path directory;
  private static Path run;

  /** What a report in memory says. */
  private static String known;

  @BeforeAll
  static void plant() throws Exception {
    run = directory.resolve("traces.jsonl");
    try (Writer out = Files.newBufferedWriter(run)) {
      for (int process = 0; process <= WORKERS; process++) {
        for (int from = 0; from < STEPS; from += 1_000) {
          out.write(line(process, from));
        }
      }
    }
    known = report("-Xmx1g", "--json").isWell().out();
  }

  /** A thousand spans of a process, one of each step; process 0 is the driver. */
  private static String line(int process, int from) {
    StringBuilder text = new StringBuilder();
    text.append("{\"resourceSpans\":[{\"resource\":{\"attributes\":[")
        .append(attribute("service.name", process == 0 ? "driver" : "worker"))
        .append(',')
        .append(attribute("service.instance.id", "p" + process))
        .append(',')
        .append(attribute("roll.run_id", "large"))
        .append("]},\"scopeSpans\":[{\"scope\":{},\"spans\":[");
    for (int step = from; step < from + 1_000; step++) {
      long at = START + step * 1_000_000L;
      long end = process == 0 ? at + 900_000 : at + 100_000 + process * 10_000L + step % 977;
      text.append(step == from ? "" : ",")
          .append(
              String.format(
                  Locale.ROOT,
                  "{\"traceId\":\"%032x\",\"spanId\":\"%016x\",%s\"name\":\"%s\",\"kind\":1,"
                      + "\"startTimeUnixNano\":\"%d\",\"endTimeUnixNano\":\"%d\"}",
                  step + 1,
                  process + 1,
                  process == 0 ? "" : "\"parentSpanId\":\"0000000000000001\",",
                  process == 0 ? "pipeline_step" : "generate",
                  at,
                  end));
    }
    return text.append("]}]}]}\n").toString();
  }

  private static String attribute(String key, String value) {
    return "{\"key\":\"" + key + "\",\"value\":{\"stringValue\":\"" + value + "\"}}";
  }

  private static ProcessBuilder command(String heap, String... options) {
    return command(List.of(heap), options);
  }

  private static ProcessBuilder command(List<String> jvmOptions, String... options) {
    List<String> command = new ArrayList<>(List.of(Finished.jdk("java")));
    command.addAll(jvmOptions);
    command.addAll(List.of("-jar", ProgramRun.AGENT.toString(), "report", run.toString()));
    command.addAll(List.of(options));
    return Launched.clean(new ProcessBuilder(command));
  }

  private static Finished report(String heap, String... options) throws Exception {
    return Finished.of(command(heap, options));
  }

  @Test
  void secondCompiler_compilesLoopsOverBytesAlone() throws Exception {
    Path temporary = Files.createDirectory(directory.resolve("temporary files"));
    String out = compilations("-XX:+TieredCompilation", "-Djava.io.tmpdir=" + temporary);
    assertThat(temporary).isEmptyDirectory();
    Set<String> compiled =
        BY_SECOND_COMPILER
            .matcher(out)
            .results()
            .map(method -> method.group(1))
            .collect(Collectors.toSet());
    assertThat(compiled).isNotEmpty();
    assertThat(compiled).isSubsetOf("CompactCursor", "CompactValues", "KnownAttributes", "HexIds");
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(strings = {"-XX:-TieredCompilation", "-XX:CompilationMode=high-only"})
  void onlyCompiler_compilesAll(String option) throws Exception {
    assertThat(compilations(option)).contains("LineParser::").doesNotContain("Excluding compile");
  }

  private static String compilations(String... jvmOptions) throws Exception {
    List<String> options = new ArrayList<>(List.of("-XX:+PrintCompilation"));
    options.addAll(List.of(jvmOptions));
    return Finished.of(command(options, "--json")).isWell().out();
  }

  private static String cache(String name) {
    return directory.resolve(name).toString();
  }

  @Test
  void heapThatIsTooSmall_isEnoughForAReportInParts() throws Exception {
    Finished report = report("-Xmx80m", "--json", "--cache", cache("small"));
    assertThat(report.isWell().out()).isEqualTo(known);
  }

  @Tag("campaign")
  @Test
  void heapThatIsTooSmall_isNoticedUnasked() throws Exception {
    Finished report = report("-Xmx120m", "--json");
    assertThat(report.isWell().out()).isEqualTo(known);
    try (var files = Files.list(directory)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .anyMatch(name -> name.startsWith("report-cache"));
    }
  }

  @Tag("campaign")
  @Test
  void pageOnATooSmallHeap_isOfAllSpansAndShowsSome() throws Exception {
    Path file = directory.resolve("page.html");
    Finished page = report("-Xmx100m", "--html", file.toString());
    assertThat(page.isWell().out()).contains("The page: ").contains("page.html");
    assertThat(page.err())
        .contains("it shows the single spans of chosen traces only")
        .doesNotContain("Not enough memory");
    String html = Files.readString(file);
    assertThat(html.length()).isBetween(500_000, 20_000_000);
    long spans = (long) STEPS * (WORKERS + 1);
    assertThat(html)
        .contains("\"spans\":" + spans + ",")
        .containsPattern("\"selection\":\\{\"traces\":\\d+,\"ofTraces\":" + STEPS + ",")
        .contains("\"everySpan\":false");
  }

  @Tag("campaign")
  @Test
  void queryOnATooSmallHeap_findsTheSame() throws Exception {
    Finished query = report("-Xmx110m", "--where", "name:generate", "--json");
    assertThat(query.isWell().out())
        .isEqualTo(report("-Xmx1g", "--where", "name:generate", "--json").isWell().out());
  }

  @Tag("campaign")
  @Test
  void queryOnAMuchTooSmallHeap_estimatesPercentiles() throws Exception {
    Finished query = report("-Xmx40m", "--where", "name:generate", "--json");
    assertThat(query.isWell().out()).contains("\"percentileError\":0.001");
  }

  @Tag("campaign")
  @Test
  void heapThatIsTooSmallForItsParts_saysWhichHeapWouldDo() throws Exception {
    Finished report = report("-Xmx10m", "--where", "name:generate");
    assertThat(report.exitCode()).isEqualTo(1);
    assertThat(report.err())
        .containsPattern("Not enough memory: the heap is 1\\d MB\\. Start it with java -Xmx1g\\.");
    assertThat(report.err().lines().filter(line -> line.startsWith("Not enough"))).hasSize(1);
  }

  @Tag("campaign")
  @Test
  void readerThatIsKilled_isGoneOnFrom() throws Exception {
    Random random = new Random(28);
    for (int i = 0; i < 4; i++) {
      kill(command("-Xmx200m", "--json", "--cache", cache("killed")), 300 + random.nextInt(1_500));
    }
    Finished report = report("-Xmx200m", "--json", "--cache", cache("killed"));
    assertThat(report.isWell().out()).isEqualTo(known);
  }

  /** At an arbitrary moment, whatever the process is doing. */
  private static void kill(ProcessBuilder builder, int afterMillis)
      throws IOException, InterruptedException {
    Process process =
        builder
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!process.waitFor(afterMillis, TimeUnit.MILLISECONDS)) {
      process.destroyForcibly();
      process.waitFor();
    }
  }
}
