package io.rollotel.traces.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import io.rollotel.traces.spans.Spans;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code merge} writes. */
class MergeTest extends FilesFixture {

  @Test
  void merge_writesEachSpanOnceInOneForm() throws Exception {
    Path merged = dir.resolve("merged.jsonl");
    assertThat(run("merge", traces.toString(), "-o", merged.toString())).isZero();
    assertThat(last.out()).contains("7 spans; left out: 7 duplicates, 2 truncated lines");
    assertThat(run("validate", merged.toString())).isZero();
    assertThat(new TracesReader().read(merged, span -> {}).spans()).isEqualTo(7);
    assertThat(Files.readString(merged)).contains("\"flags\":257,\"name\":\"r\",\"kind\":1");
    assertThat(run("merge", traces.toString(), "-o", merged.toString())).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "DIR/merged.parquet | 2 | use export --parquet=DIR/merged.parquet",
        "DIR/there.jsonl | 2 | DIR/there.jsonl already exists.",
        "DIR/link.jsonl | 2 | DIR/link.jsonl already exists.",
        "DIR/there.jsonl/m.jsonl | 1 | Cannot write DIR/there.jsonl/m.jsonl: DIR/there.jsonl is not"
            + " a",
        "/proc/m.jsonl | 1 | Cannot write /proc/m.jsonl: no file can be created there.",
      })
  @EnabledOnOs(OS.LINUX)
  void outputThatCannotBeWritten_isNamedWithTheReason(String output, int code, String said)
      throws Exception {
    Files.writeString(dir.resolve("there.jsonl"), "");
    Path link = Files.createSymbolicLink(dir.resolve("link.jsonl"), dir.resolve("nowhere"));
    String name = dir.toString();
    assertThat(run("merge", traces.toString(), "-o", output.replace("DIR", name))).isEqualTo(code);
    assertThat(last.err()).contains(said.replace("DIR", name)).doesNotContain("to read", "be read");
    assertThat(Files.isSymbolicLink(link)).isTrue();
    assertThat(dir.resolve("nowhere")).doesNotExist();
  }

  @Test
  void mergeIntoAFileThatIsCompressed_isReadLikeAnyOther() throws Exception {
    Path merged = dir.resolve("merged.jsonl.gz");
    assertThat(run("merge", traces.toString(), "-o", merged.toString())).isZero();
    assertThat(run("validate", merged.toString())).isZero();
    assertThat(last.out()).contains("7 spans");
    assertThat(new GZIPInputStream(Files.newInputStream(merged)).readAllBytes()).endsWith('\n');
  }

  @ParameterizedTest
  @ValueSource(strings = {"-", "/dev/stdout"})
  void mergeIntoStandardOutput_printsTheSpansAlone(String output) throws Exception {
    assertThat(run("merge", traces.toString(), "-o", output)).isZero();
    assertThat(last.out().lines()).allMatch(line -> line.startsWith("{\"resourceSpans\""));
    assertThat(last.err()).contains("standard output: 7 spans; left out: 7 duplicates");
    Path printed = Files.writeString(dir.resolve("printed.jsonl"), last.out());
    assertThat(new TracesReader().read(printed, span -> {}).spans()).isEqualTo(7);
    assertThat(Path.of("-")).doesNotExist();
  }

  /** As {@code -o >(zstd > merged.zst)} of a shell. */
  @EnabledOnOs(OS.LINUX)
  @Test
  void mergeIntoAPipe_writesTheSpans() throws Exception {
    Path pipe = dir.resolve("pipe");
    Path read = dir.resolve("read.jsonl");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    Process reader = new ProcessBuilder("cp", pipe.toString(), read.toString()).start();
    try {
      assertThat(run("merge", traces.toString(), "-o", pipe.toString())).as(last.err()).isZero();
      assertThat(reader.waitFor()).isZero();
    } finally {
      reader.destroyForcibly(); // it waits for ever if nobody has opened the pipe
    }
    assertThat(new TracesReader().read(read, span -> {}).spans()).isEqualTo(7);
  }

  @Test
  void mergeOfOneSpan_isSaidInTheSingular() throws Exception {
    Path file = Files.writeString(dir.resolve("one.jsonl"), OF_ROLL + OF_ROLL + "{\"re");
    Path merged = dir.resolve("merged.jsonl");
    assertThat(run("merge", file.toString(), "-o", merged.toString())).isZero();
    assertThat(last.out())
        .isEqualTo(merged + ": 1 span; left out: 1 duplicate, 1 truncated line\n");
  }

  @Test
  void mergeOfNoSpan_isAnEmptyFile() throws Exception {
    Path merged = dir.resolve("merged.jsonl");
    Path empty = Files.writeString(dir.resolve("empty.jsonl"), "");
    assertThat(run("merge", empty.toString(), "-o", merged.toString())).isZero();
    assertThat(merged).isEmptyFile();
  }

  /** Its temporary name is that of no input. */
  @Test
  void mergeIntoItsOwnInput_readsNoPartOfIt() throws Exception {
    Path merged = traces.resolve("aaa.jsonl");
    assertThat(run("merge", dir.toString(), "-o", merged.toString())).isZero();
    assertThat(last.out()).contains("7 spans; left out: 7 duplicates, 2 truncated lines");
    assertThat(traces.resolve("aaa.jsonl.part")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--no-join"})
  void inputFileThatCannotBeRead_isCountedAndFails(String option) throws Exception {
    Files.writeString(traces.resolve("b.jsonl.gz"), "no gzip");
    Path merged = dir.resolve("merged.jsonl");
    List<String> line = new ArrayList<>(List.of("merge", traces.toString(), "-o" + merged));
    line.addAll(option.isEmpty() ? List.of() : List.of(option));
    assertThat(run(line.toArray(String[]::new))).isOne();
    assertThat(last.out()).contains("7 spans; ", "2 truncated lines, 2 unreadable"); // and a line
    assertThat(last.err()).contains("b.jsonl.gz");
    assertThat(merged).exists();
  }

  /** A second reading of a pipe finds nothing. */
  @ParameterizedTest
  @CsvSource({"merge, , 2", "merge, --no-join, 0", "replay, , 2"})
  @EnabledOnOs(OS.LINUX)
  void inputThatIsAPipe_isRefusedUnlessItIsReadOnce(String command, String option, int code)
      throws Exception {
    Path pipe = dir.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    Path merged = dir.resolve("merged.jsonl");
    List<String> line = new ArrayList<>(List.of(command, pipe.toString()));
    line.addAll(
        command.equals("merge")
            ? List.of("-o", merged.toString())
            : List.of("--endpoint=http://localhost:1"));
    if (option != null) {
      line.add(option);
      Path file = traces.resolve("traces.jsonl");
      new ProcessBuilder("cp", file.toString(), pipe.toString()).start();
    }
    assertThat(run(line.toArray(String[]::new))).as(last.err()).isEqualTo(code);
    if (code == 0) {
      assertThat(last.out()).contains(": 6 spans;");
    } else {
      assertThat(last.err())
          .contains(command + " reads its input twice: write it to a file first, or use --no-join");
      assertThat(merged).doesNotExist();
    }
  }

  @Test
  void inputThatLosesSpansBetweenTwoReadings_isAFailure() throws Exception {
    Path first = traces.resolve("traces.jsonl");
    Path second = dir.resolve("second.jsonl");
    PlantedFile.write(second, Requests.of(List.of(Requests.span(3, 1, 0, "a", 5, 3))));
    HttpServer endpoint = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
    endpoint.createContext(
        "/",
        exchange -> {
          Files.writeString(second, ""); // during the second reading
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    endpoint.start();
    try {
      String url = "http://localhost:" + endpoint.getAddress().getPort();
      assertThat(run("replay", first.toString(), second.toString(), "--endpoint", url)).isOne();
      assertThat(last.err()) // progress stands before it on a slow machine
          .endsWith(
              "The input changed while it was read: it had 7 spans at first, and 6 later. Try"
                  + " again.\n");
    } finally {
      endpoint.stop(0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--no-join"})
  void mergeOfAMistypedInput_leavesNothingBehind(String option) throws Exception {
    Path merged = dir.resolve("new/folder/merged.jsonl");
    List<String> command = new ArrayList<>(List.of("merge", traces.toString()));
    command.addAll(List.of(dir.resolve("tracse").toString(), "-o", merged.toString()));
    command.addAll(option.isEmpty() ? List.of() : List.of(option));
    assertThat(run(command.toArray(String[]::new))).isEqualTo(1);
    assertThat(last.err().trim())
        .isEqualTo("There is no file or directory " + dir.resolve("tracse") + ".");
    assertThat(dir.resolve("new")).doesNotExist();
  }

  @Test
  void callWhoseEndsAreTwoTraces_isMergedIntoOneUnlessThatIsNotWanted() throws Exception {
    String sender = id(0xa, 32);
    String receiver = id(0xb, 32);
    Path file = dir.resolve("ray/traces.jsonl");
    Files.createDirectories(file.getParent());
    // The inner span ends first, and links to another of its trace.
    Files.write(
        file,
        List.of(
            request(receiver, 3, 2, 1, "", receiver),
            request(receiver, 2, 0, 5, "task", ""),
            request(sender, 1, 0, 4, "task", receiver)));
    assertThat(merged("joined", file.getParent().toString()))
        .containsExactly("3 in a below 2", "2 in a below 1", "1 in a below 0");
    assertThat(Files.readString(dir.resolve("joined"))).doesNotContain(receiver);
    assertThat(merged("apart", file.toString(), "--no-join"))
        .containsExactly("3 in b below 2", "2 in b below 0", "1 in a below 0");
  }

  @ParameterizedTest
  @CsvSource({"'', ''", "ot=th:c, ''", "'', ot=th:8", "ot=th:c, ot=th:8", "'x=y,ot=th:c', x=y"})
  void endsThatWereThinnedOut_weighTheSameAfterAMerge(String sent, String received)
      throws Exception {
    String sender = id(0xa, 32);
    String receiver = id(0xb, 32);
    Path file = dir.resolve("ray/traces.jsonl");
    Files.createDirectories(file.getParent());
    Files.write(
        file,
        List.of(
            request(receiver, 3, 2, 1, "", ""), // without the state, as by a carrier
            withState(request(receiver, 2, 0, 5, "task", ""), received),
            withState(request(sender, 1, 0, 4, "task", ""), sent)));
    merged("joined", file.toString());
    merged("again", dir.resolve("joined").toString());
    assertThat(weights(dir.resolve("joined"))).isEqualTo(weights(file));
    assertThat(weights(dir.resolve("again"))).isEqualTo(weights(file));
    String joined = Files.readString(dir.resolve("joined"));
    assertThat(joined.contains("roll=" + receiver)).isEqualTo((sent + received).contains("ot="));
    assertThat(Files.readString(dir.resolve("again"))).isEqualTo(joined);
  }

  private static String withState(String request, String state) {
    return state.isEmpty()
        ? request
        : request.replace("\"name\"", "\"traceState\":\"" + state + "\",\"name\"");
  }

  private static Map<String, Double> weights(Path file) throws IOException {
    TracesReader reader = new TracesReader();
    Spans spans = new Spans();
    reader.read(file, spans::add);
    spans.joinCalls(reader.joins());
    Map<String, Double> weights = new TreeMap<>();
    for (int i = 0; i < spans.size(); i++) {
      weights.put(hex(spans.traceIdOf(i)) + "/" + hex(spans.spanId(i)), spans.weight(i));
    }
    return weights;
  }

  private List<String> merged(String name, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("merge", "-o", dir.resolve(name).toString()));
    command.addAll(List.of(arguments));
    assertThat(run(command.toArray(new String[0]))).as(last.err()).isZero();
    List<String> merged = new ArrayList<>();
    new TracesReader()
        .read(
            dir.resolve(name),
            span ->
                merged.add(
                    "%s in %s below %s"
                        .formatted(
                            hex(span.spanId()), hex(span.traceId()), hex(span.parentSpanId()))));
    return merged;
  }

  private static String hex(String id) {
    return Integer.toHexString(id.isEmpty() ? 0 : Integer.parseInt(id, 16));
  }

  private static String id(int id, int digits) {
    return "%0".concat(digits + "x").formatted(id);
  }

  private static String request(
      String traceId, int spanId, int parent, int kind, String task, String link) {
    String attribute = "{\"key\":\"%s\",\"value\":{\"stringValue\":\"%s\"}}";
    String attributes =
        task.isEmpty()
            ? ""
            : attribute.formatted("roll.join", "ray.task_id")
                + ','
                + attribute.formatted("ray.task_id", task);
    return """
    {"resourceSpans":[{"scopeSpans":[{"spans":[{"parentSpanId":"%s","spanId":"%s",\
    "traceId":"%s","name":"call","kind":%d,"attributes":[%s],"links":[%s]}]}]}]}\
    """
        .formatted(
            parent == 0 ? "" : id(parent, 16),
            id(spanId, 16),
            traceId,
            kind,
            attributes,
            link.isEmpty()
                ? ""
                : "{\"traceId\":\"%s\",\"spanId\":\"%s\"}".formatted(link, id(7, 16)));
  }
}
