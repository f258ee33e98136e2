package io.rollotel.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.Engines;
import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.JarClasses;
import io.rollotel.it.kit.Launched;
import io.rollotel.it.kit.ProgramRun;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Parquet with the shipped jars, and how DuckDB and Spark read the file. */
class ParquetIT {

  private static final Path JAR = ProgramRun.ROOT.resolve("parquet/target/roll-otel-parquet.jar");
  private static final Path ENGINES = ProgramRun.ROOT.resolve("engines");
  private static final Pattern QUERY =
      Pattern.compile("<!-- query: (\\w+) -->\n```sql\n(.*?)```", Pattern.DOTALL);

  /**
   * The libraries in the jar, by the beginning of their classes' names, and the folder of the
   * license.
   */
  private static final Map<String, String> LICENSES =
      Map.ofEntries(
          Map.entry("io/rollotel/", ""),
          Map.entry("io/airlift/compress/", "aircompressor/"),
          Map.entry("org/apache/parquet/", "parquet-hadoop/"),
          Map.entry("org/apache/parquet/column/", "parquet-column/"),
          Map.entry("org/apache/parquet/bytes/", "parquet-common/"),
          Map.entry("org/apache/parquet/column/values/bitpacking/", "parquet-encoding/"),
          Map.entry("org/apache/parquet/format/", "parquet-format-structures/"),
          Map.entry("org/locationtech/jts/", "jts-core/"),
          Map.entry("org/slf4j/", "slf4j-api/"),
          Map.entry("org/slf4j/nop/", "slf4j-nop/"),
          Map.entry("shaded/parquet/com/fasterxml/jackson/", "parquet-jackson/"),
          Map.entry("shaded/parquet/it/unimi/dsi/fastutil/", "fastutil/"),
          Map.entry("shaded/parquet/net/openhft/hashing/", "zero-allocation-hashing/"),
          Map.entry("shaded/parquet/org/apache/thrift/", "thrift/"));

  /** 2026-11-21 13:57:02 UTC. */
  private static final long START = 1_795_269_422_000_000_000L;

  private static final long MS = 1_000_000;
  private static final int STEPS = 3;

  @TempDir Path dir;

  private Path agent;
  private Path lines;
  private Path parquet;

  @BeforeEach
  void plant() throws IOException {
    agent = Files.copy(ProgramRun.AGENT, dir.resolve("roll-otel-agent.jar"));
    lines = dir.resolve("run.jsonl");
    parquet = dir.resolve("run.parquet");
    Files.writeString(lines, run(STEPS));
  }

  /** Steps of 20 ms, an hour apart, with a call on each of two ranks: 2.5 ms and 5 ms. */
  private static String run(int steps) {
    StringBuilder run = new StringBuilder();
    for (int step = 1; step <= steps; step++) {
      long at = START + step * 3_600_000 * MS;
      String trace = "%032x".formatted(step);
      run.append(
          line("driver", "", span(trace, 1, 0, "pipeline_step", at, 20 * MS, "global_step", step)));
      for (int rank = 0; rank < 2; rank++) {
        run.append(
            line(
                "actor",
                ",{\"key\":\"roll.rank\",\"value\":{\"intValue\":\"%d\"}}".formatted(rank),
                span(
                    trace,
                    2 + rank,
                    1,
                    "worker.generate",
                    at,
                    (rank + 1) * 5 * MS / 2,
                    "http.status_code",
                    200 + 300 * rank)));
      }
    }
    return run.toString();
  }

  private static String line(String service, String more, String span) {
    return """
    {"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"%s"}}%s]},\
    "scopeSpans":[{"scope":{"name":"worker"},"spans":[%s]}]}]}
    """
        .formatted(service, more, span);
  }

  private static String span(
      String trace,
      int id,
      int parent,
      String name,
      long start,
      long nanos,
      String key,
      int value) {
    return """
    {"traceId":"%s","spanId":"%016x","parentSpanId":"%s","traceState":"ot=th:8","name":"%s","kind":1,\
    "startTimeUnixNano":"%d","endTimeUnixNano":"%d","attributes":[{"key":"%s","value":{"intValue":"%d"}},\
    {"key":"roll.queue_ns","value":{"intValue":"1500000"}},\
    {"key":"tags","value":{"arrayValue":{"values":[{"stringValue":"a"},{"doubleValue":1}]}}}],\
    "events":[{"timeUnixNano":"%d","name":"cut","attributes":[{"key":"at","value":{"boolValue":true}}]}],\
    "links":[{"traceId":"%s","spanId":"00000000000000ff"}],"status":{"code":1}}"""
        .formatted(
            trace,
            id,
            parent == 0 ? "" : "%016x".formatted(parent),
            name,
            start,
            start + nanos,
            key,
            value,
            start + 1,
            trace);
  }

  private Finished command(Object... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(Finished.jdk("java"), "-jar", agent.toString()));
    Stream.of(arguments).map(Object::toString).forEach(command::add);
    return Finished.of(Launched.clean(new ProcessBuilder(command)));
  }

  private Finished export() throws Exception {
    return command("export", "--parquet", parquet, lines);
  }

  private void putJar() throws IOException {
    Files.copy(JAR, dir.resolve("roll-otel-parquet.jar"));
  }

  @Test
  void everyLibraryInTheJar_hasItsLicenseInIt() throws Exception {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      List<String> classes =
          jar.stream().map(JarEntry::getName).filter(name -> name.endsWith(".class")).toList();
      assertThat(JarClasses.owners(classes, LICENSES.keySet())).isEqualTo(LICENSES.keySet());
      for (String folder : LICENSES.values()) {
        String license =
            folder.isEmpty() ? "META-INF/LICENSE" : "META-INF/licenses/" + folder + "LICENSE";
        assertThat(jar.getEntry(license)).as(license).isNotNull();
      }
      assertThat(jar.stream().map(JarEntry::getName))
          .contains("META-INF/NOTICE", "META-INF/licenses/parquet-jackson/NOTICE");
    }
  }

  /** In a folder that many may write to, anybody could put code there for others to run. */
  @Test
  void jarThatAnybodyMayWriteTo_isNotLoaded() throws Exception {
    Path beside = Files.copy(JAR, dir.resolve("roll-otel-parquet.jar"));
    Files.setPosixFilePermissions(beside, PosixFilePermissions.fromString("rw-rw-rw-"));
    Finished export = command("export", lines, "--parquet", parquet);
    assertThat(export.err())
        .contains(
            beside + " is not loaded, since anybody may write to it: its code would run as yours")
        .doesNotContain("\tat ");
    assertThat(parquet).doesNotExist();
  }

  @Test
  void withoutItsJar_parquetIsOneLineThatSaysWhatToDo() throws Exception {
    Finished export = export();
    assertThat(export.exitCode()).isEqualTo(1);
    assertThat(export.err().lines())
        .singleElement()
        .asString()
        .startsWith("Parquet needs roll-otel-parquet.jar of version ")
        .endsWith("put it beside roll-otel-agent.jar, as " + dir.resolve("roll-otel-parquet.jar"));
    assertThat(parquet).doesNotExist();

    Path mixed = Files.createDirectories(dir.resolve("mixed"));
    Files.copy(lines, mixed.resolve("a.jsonl"));
    Files.writeString(mixed.resolve("b.parquet"), "PAR1");
    Finished report = command("report", mixed).isWell();
    assertThat(report.out())
        .contains("9 spans")
        .contains("b.parquet: Parquet needs roll-otel-parquet.jar of version ");
  }

  @Test
  void jarOfAnotherVersion_isRefused() throws Exception {
    putJar();
    try (FileSystem jar =
        FileSystems.newFileSystem(
            URI.create("jar:" + dir.resolve("roll-otel-parquet.jar").toUri()), Map.of())) {
      Files.writeString(jar.getPath("io/rollotel/parquet/version.txt"), "0.0.1\n");
    }
    Finished export = export();
    assertThat(export.exitCode()).isEqualTo(1);
    assertThat(export.err().lines())
        .singleElement()
        .asString()
        .contains("roll-otel-parquet.jar is of version 0.0.1, and this is roll-otel ")
        .endsWith(": take both of one version");
  }

  @Tag("campaign")
  @Test
  void jarBesideTheAgent_writesAndReads() throws Exception {
    putJar();
    Finished export = export().isWell();
    assertThat(export.out())
        .isEqualTo(
            "9 spans written to %s; left out: 0 duplicates, 0 truncated lines%n"
                .formatted(parquet));
    assertThat(export.complaints()).isEmpty();
    Finished report = command("report", "--json", parquet).isWell();
    assertThat(report.complaints()).isEmpty();
    assertThat(report.out()).isEqualTo(command("report", "--json", lines).isWell().out());
    isSame(parquet);
  }

  @Tag("campaign")
  @Test
  void fullDisk_isOneLineAndLeavesNothing() throws Exception {
    putJar();
    Files.writeString(lines, run(3000));
    // A limit of the size of files, as a disk that is full.
    Finished export =
        Finished.of(
            Launched.clean(
                new ProcessBuilder(
                    "bash",
                    "-c",
                    "trap '' XFSZ; ulimit -f 16; exec \"$@\"",
                    "-",
                    Finished.jdk("java"),
                    "-XX:-UsePerfData",
                    "-jar",
                    agent.toString(),
                    "export",
                    "--parquet",
                    parquet.toString(),
                    lines.toString())));
    assertThat(export.exitCode()).isEqualTo(1);
    assertThat(export.complaints()).hasLineCount(1).startsWith("Cannot write " + parquet + ": ");
    assertThat(parquet).doesNotExist();
    assertThat(dir.resolve("run.parquet.part")).doesNotExist();
  }

  /** A file, or a directory of files, has the same run as the lines. */
  private void isSame(Path file) throws Exception {
    Path ofLines = dir.resolve("of-lines.jsonl");
    Path ofFile = dir.resolve("of-file.jsonl");
    command("merge", lines, "--output", ofLines).isWell();
    command("merge", file, "--output", ofFile).isWell();
    assertThat(sortedLines(ofFile)).isEqualTo(sortedLines(ofLines));
    Files.delete(ofLines);
    Files.delete(ofFile);
  }

  private static List<String> sortedLines(Path file) throws IOException {
    return Files.readAllLines(file).stream().sorted().toList();
  }

  @Tag("engines")
  @Test
  void duckdb_answersTheQueriesOfTheDocumentation() throws Exception {
    Path python =
        Engines.python("duckdb", ENGINES.resolve("duckdb-requirements.txt")).resolve("bin/python");
    Path rewritten = dir.resolve("rewritten.parquet");
    answers(
        List.of(python.toString(), ENGINES.resolve("parquet/duckdb_queries.py").toString()),
        rewritten);
    isSame(rewritten);
  }

  @Tag("engines")
  @Test
  void spark_answersTheQueriesOfTheDocumentation() throws Exception {
    Path spark = Engines.folder("spark", "target/built");
    List<String> command = new ArrayList<>(List.of(Finished.jdk("java")));
    Matcher options =
        Pattern.compile("--add-[a-z]+=\\S+|-D\\S+|-XX:\\S+")
            .matcher(Files.readString(ENGINES.resolve("stranger")));
    while (options.find()) {
      if (!options.group().contains("\"") && !options.group().startsWith("-Dtest")) {
        command.add(options.group());
      }
    }
    command.addAll(List.of("-cp", spark.resolve("target/lib") + "/*"));
    command.add(ENGINES.resolve("parquet/SparkQueries.java").toString());
    Path rewritten = dir.resolve("rewritten");
    answers(command, rewritten);
    isSame(rewritten);
  }

  private void answers(List<String> engine, Path rewritten) throws Exception {
    putJar();
    export().isWell();
    List<String> command = new ArrayList<>(engine);
    command.add(parquet.toString());
    command.add(rewritten.toString());
    Map<String, String> queries = queries();
    for (Map.Entry<String, String> query : queries.entrySet()) {
      Path file = dir.resolve(query.getKey() + ".sql");
      Files.writeString(file, query.getValue());
      command.add(file.toString());
    }
    ProcessBuilder builder = Launched.clean(new ProcessBuilder(command)).directory(dir.toFile());
    builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
    Finished answered = Finished.of(builder).isWell();
    List<String> answers =
        Stream.of(answered.out().split("query\n", -1)).skip(1).map(String::strip).toList();
    assertThat(queries.keySet())
        .containsExactly("steps", "ranks", "hours", "attributes", "weights");
    assertThat(answers).hasSize(5);
    assertThat(answers.get(4).lines())
        .containsExactly("pipeline_step|3|6.0", "worker.generate|6|12.0");
    assertThat(answers.get(0).lines())
        .containsExactly(
            "1|pipeline_step|1|20.0",
            "1|worker.generate|2|7.5",
            "2|pipeline_step|1|20.0",
            "2|worker.generate|2|7.5",
            "3|pipeline_step|1|20.0",
            "3|worker.generate|2|7.5");
    assertThat(answers.get(1).lines())
        .containsExactly(
            "0|1|2.5|1.5",
            "0|2|2.5|1.5",
            "0|3|2.5|1.5",
            "1|1|5.0|1.5",
            "1|2|5.0|1.5",
            "1|3|5.0|1.5");
    // Each engine prints times in its own way.
    assertThat(answers.get(2).lines().map(row -> row.replaceAll("(:00:00)[^|]*", "$1")))
        .containsExactly(
            "2026-11-21 14:00:00|pipeline_step|1|20.0",
            "2026-11-21 14:00:00|worker.generate|2|4.975",
            "2026-11-21 15:00:00|pipeline_step|1|20.0",
            "2026-11-21 15:00:00|worker.generate|2|4.975",
            "2026-11-21 16:00:00|pipeline_step|1|20.0",
            "2026-11-21 16:00:00|worker.generate|2|4.975");
    assertThat(answers.get(3).lines()).containsExactly("200|6.0", "500|6.0");
  }

  /** By name, in their order. */
  private static Map<String, String> queries() throws IOException {
    Map<String, String> queries = new LinkedHashMap<>();
    Matcher query =
        QUERY.matcher(Files.readString(ProgramRun.ROOT.resolve("docs/parquet.md"), UTF_8));
    while (query.find()) {
      queries.put(query.group(1), query.group(2));
    }
    return queries;
  }
}
