package io.rollotel.traces.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.PlantedFile;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code validate} says of files. */
class ValidateTest extends FilesFixture {

  @Test
  void validate_namesEachBadLineAndTheReason() {
    assertThat(run("validate", traces.toString())).isEqualTo(1);
    assertThat(last.out())
        .contains(
            "own.jsonl:1: truncated",
            "own.jsonl:2: neither resourceSpans, resourceMetrics nor resourceLogs",
            "own.jsonl:5: truncated")
        .contains(
            "7 spans, data points or log records, 7 duplicates, 2 truncated lines, 1 unreadable");
    assertThat(run("validate", traces.resolve("traces.jsonl").toString())).isZero();
  }

  /** As protobuf's own JSON has them. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "AAAAAAAAAAAAAAAAAAAAAQ== | traceId in base64 instead of 32 hex digits",
        "AAAAAAAAAAAAAAAAAAAAAQ   | traceId of 22 digits instead of 32",
        "AAAAAAAAAAAAAAAAAAAAAQAB | traceId of 24 digits instead of 32",
      })
  void idInBase64_isCalledSo(String id, String said) throws Exception {
    String line = OF_ROLL.replace("0".repeat(31) + "1", id);
    Path file = Files.writeString(dir.resolve("base64.jsonl"), line);
    assertThat(run("report", file.toString())).isOne();
    assertThat(last.err()).contains(said);
    assertThat(run("validate", file.toString())).isOne();
    assertThat(last.out()).contains(said);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r\n", " \t\n", "\n\n", "{}\n", " { } \r\n"})
  void emptyLine_isReadAsNothing(String empty) throws Exception {
    Path file = dir.resolve("empty.jsonl");
    Files.writeString(file, empty + OF_ROLL + empty);
    assertThat(run("validate", file.toString())).isZero();
    assertThat(last.out())
        .contains(": 1 line, 1 span, data point or log record, ", " 0 unreadable");
  }

  /** A misspelled directory in a script must not pass. */
  @ParameterizedTest
  @CsvSource({"validate, 1", "merge --output=OUT, 0", "replay --endpoint=http://localhost:9, 1"})
  void directoryWithoutFiles_fails(String command, int codeBesideOthers) throws Exception {
    Path empty = Files.createDirectories(dir.resolve("empty"));
    Path out = dir.resolve("out.jsonl");
    String[] call = (command.replace("OUT", out.toString()) + " " + empty).split(" ");
    assertThat(run(call)).isOne();
    assertThat(last.out() + last.err())
        .contains("There is no file *.jsonl, ")
        .doesNotContain("sent");
    assertThat(out).doesNotExist();
    call = (command.replace("OUT", out.toString()) + " " + empty + " " + traces).split(" ");
    assertThat(run(call)).isEqualTo(codeBesideOthers);
    assertThat(Files.exists(out)).isEqualTo(command.startsWith("merge"));
  }

  @Test
  void validate_namesAFileThatIsCutOffAndOneThatCannotBeOpened() throws Exception {
    byte[] whole = Files.readAllBytes(traces.resolve("traces.1.jsonl.gz"));
    Path cut = dir.resolve("cut.jsonl.gz");
    Files.write(cut, Arrays.copyOf(whole, whole.length - 12));
    assertThat(run("validate", cut.toString())).isOne();
    assertThat(last.out()).containsPattern("cut.jsonl.gz:[1-9]: the compressed file is cut off\n");
    Files.writeString(cut, "no gzip");
    assertThat(run("validate", cut.toString())).isOne();
    assertThat(last.out()).containsPattern("cut.jsonl.gz: .*GZIP").contains("1 unreadable");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"data\":[{\"traceID\":\"1\",\"spans\":[]}]} | This looks like Jaeger's JSON, not OTLP.",
        "{\"traceEvents\":[{\"ph\":\"M\"}]} | This looks like the JSON of Perfetto or Chrome, not",
        "[{\"ph\":\"X\"},n{\"ph\":\"X\"}] | This looks like the JSON of Perfetto or Chrome, not"
            + " OTLP.",
        "[{\"resourceSpans\":[]}] | It is an array, and each request must be one line: jq -c '.[]'"
            + " ",
        "{n  \"resourceSpans\": [n    {n    }n  ]n} | It is pretty-printed, and each request must"
            + " be",
        "{\"resource_spans\": [n    {n    }n  ]n} | It is pretty-printed, and each request must be",
      })
  void fileOfAnotherForm_isRecognised(String content, String said) throws Exception {
    String lines = content.replaceAll("n(?=[ {}])", "\n").replace("]n}", "]\n}");
    Path file = Files.writeString(dir.resolve("foreign.json"), lines);
    assertThat(run("validate", file.toString())).isOne();
    assertThat(last.out()).startsWith(file + ": " + said).hasLineCount(2);
    assertThat(run("report", file.toString())).isOne();
    assertThat(last.err()).contains(said).doesNotContain("-javaagent");
  }

  @Test
  void fileOfAnotherForm_doesNotHideThatOthersHaveBadLines() throws Exception {
    Path mixed = Files.createDirectory(dir.resolve("mixed"));
    String pretty = "{\n  \"resourceSpans\": [\n" + "    {\n    }\n".repeat(20) + "  ]\n}\n";
    Files.writeString(mixed.resolve("a.jsonl"), pretty);
    assertThat(run("report", mixed.toString())).isOne();
    assertThat(last.err()).contains("It is pretty-printed").doesNotContain(" more");
    Files.writeString(mixed.resolve("b.jsonl"), OF_ROLL + "no request\n");
    assertThat(run("report", mixed.toString())).isZero();
    assertThat(last.out()).contains("It is pretty-printed").containsPattern("\n  and \\d+ more\n");
  }

  /** Of a file in UTF-16, Jackson reads the first line. */
  @ParameterizedTest
  @CsvSource({
    "gzip, It is compressed with gzip: its name must end with .gz.",
    "BZh9, 'It is an archive, or compressed by another program than gzip: unpack it first.'",
    "UTF-16, 'It is in UTF-16, and must be in UTF-8: iconv -f UTF-16 -t UTF-8 '",
    "UTF-16LE, 'It is in UTF-16, and must be in UTF-8: iconv -f UTF-16LE -t UTF-8 '",
    "UTF-16BE, 'It is in UTF-16, and must be in UTF-8: iconv -f UTF-16BE -t UTF-8 '",
  })
  void fileThatIsNotInUtf8_isRecognised(String form, String said) throws Exception {
    String lines = OF_ROLL + OF_ROLL.replace("4\"", "5\"") + OF_ROLL.replace("4\"", "6\"");
    byte[] bytes =
        switch (form) {
          case "gzip" -> PlantedFile.gzip(lines.getBytes(UTF_8));
          case "BZh9" -> (form + "\0\0").getBytes(UTF_8);
          default -> lines.getBytes(Charset.forName(form));
        };
    Path file = Files.write(dir.resolve("foreign.jsonl"), bytes);
    assertThat(run("validate", file.toString())).isOne();
    assertThat(last.out()).startsWith(file + ": " + said).hasLineCount(2);
    for (String command : List.of("report", "merge --no-join -o -", "export --csv=-")) {
      run((command + " " + file).split(" "));
      assertThat(last.err() + last.out())
          .as(command)
          .containsOnlyOnce(said)
          .doesNotContain("-javaagent", "Illegal", "Unexpected");
    }
  }

  /** The command can be copied. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {"a b.json | 'DIR/a b.json'", "it's.json | 'DIR/it'\\''s.json'"})
  void nameWithABlank_isQuotedInTheCommand(String name, String quoted) throws Exception {
    Path file = Files.writeString(dir.resolve(name), "[{\"resourceSpans\":[]}]");
    assertThat(run("validate", file.toString())).isOne();
    assertThat(last.out())
        .contains(": jq -c '.[]' " + quoted.replace("DIR", dir.toString()) + "\n");
  }

  /** The collector takes such requests, and so does merge. */
  @Test
  void keysInSnakeCase_areSaidByTheReportWithTheCure() throws Exception {
    String line =
        """
        {"resource_spans":[{"scope_spans":[{"spans":[{"trace_id":"%032x","span_id":"%016x",\
        "name":"a","start_time_unix_nano":"5","end_time_unix_nano":"9"}]}]}]}
        """
            .formatted(1, 2);
    Path file = Files.writeString(dir.resolve("snake.jsonl"), line);
    assertThat(run("validate", file.toString())).isZero();
    assertThat(run("report", file.toString())).isOne();
    assertThat(last.err())
        .contains("keys are in snake case", "merge -o NEW.jsonl " + file)
        .doesNotContain("-javaagent");
    Path merged = dir.resolve("new.jsonl");
    assertThat(run("merge", "-o", merged.toString(), file.toString())).isZero();
    assertThat(run("report", merged.toString())).isZero();
  }

  /** It cannot be opened a second time. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void pipeWithABadLine_isReadOnce() throws Exception {
    Path pipe = dir.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    new ProcessBuilder("cp", traces.resolve("own.jsonl").toString(), pipe.toString()).start();
    assertThat(run("validate", pipe.toString())).isOne();
    assertThat(last.out()).contains("pipe:2: ", " 1 span, ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "{\"resourceSpans\":[{\"a\":\"\\\"traceEvents\\\"\"}",
        "{\"resourceSpans\": [ 3",
        "{\"resourceSpans\":[{\"traceEvents\": \"traceID\"}",
      })
  void badLine_isTakenForNoOtherForm(String line) throws Exception {
    Path file = Files.writeString(dir.resolve("bad.jsonl"), OF_ROLL + line + "\n" + OF_ROLL);
    assertThat(run("validate", file.toString())).isOne();
    assertThat(last.out()).startsWith(file + ":2: ");
  }
}
