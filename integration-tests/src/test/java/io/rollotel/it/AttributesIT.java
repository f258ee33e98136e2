package io.rollotel.it;

import static java.util.Collections.nCopies;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.it.kit.SpanEvents;
import io.rollotel.traces.otlp.Span;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Arguments as attributes, the kind of a span, and expected failures. */
class AttributesIT {

  private static @TempDir Path directory;
  private static Result result;
  private static Map<String, List<String>> exceptions;

  @BeforeAll
  static void run() throws Exception {
    result = ProgramRun.of(directory, AttributeWorker.class).run();
    exceptions = SpanEvents.exceptions(result);
  }

  static Stream<Arguments> methods() {
    return Stream.of(
        arguments(
            "primitives",
            Map.of(
                "boolean", true, "byte", -1L, "short", -2L, "int", -3L, "long", -4L, "float", 0.5,
                "double", 0.25, "char", "x")),
        arguments("text", Map.of("String", "text", "CharSequence", "built", "Object", "t")),
        arguments(
            "boxed",
            Map.of(
                "Boolean",
                true,
                "Byte",
                1L,
                "Short",
                2L,
                "Integer",
                3L,
                "Long",
                4L,
                "Float",
                0.5,
                "Double",
                0.25,
                "Character",
                "y",
                "BigDecimal",
                1.5,
                "Number",
                7L)),
        arguments("enums", Map.of("own", "TRAIN", "withToString", "EVAL", "asObject", "SECONDS")),
        arguments(
            "arrays",
            Map.of(
                "String[]", List.of("a", "b"),
                "int[]", List.of(1L, 2L),
                "long[]", List.of(3L),
                "double[]", List.of(0.5),
                "float[]", List.of(0.25),
                "boolean[]", List.of(true, false),
                "byte[]", List.of(1L),
                "char[]", List.of("a", "b"),
                "Mode[]", List.of("EVAL"),
                "Integer[]", List.of(5L))),
        arguments(
            "lists",
            Map.of(
                "strings", List.of("a", "b"),
                "wholes", List.of(1L, 2L, 3L),
                "numbers", List.of(1.0, 0.5),
                "enums", List.of("TRAIN", "EVAL"),
                "booleans", List.of(true),
                "long", nCopies(128, 7L))),
        arguments("leftOut", Map.of()),
        arguments("mixed", Map.of("recordAndText", List.of("b"))),
        arguments("repeated", Map.of("same", "second")),
        arguments(
            "notANumber",
            Map.ofEntries(
                entry("nan", Double.NaN),
                entry("infinite", Double.POSITIVE_INFINITY),
                entry("min", Long.MIN_VALUE),
                entry("empty", ""))),
        arguments("hostile", Map.of("kept", "kept")),
        arguments("cyclic", Map.of("list", List.of("self"))),
        arguments(
            "endless",
            Map.of("list", LongStream.range(0, 128).boxed().toList(), "text", "e".repeat(1_024))),
        arguments("reassigned", Map.of("text", "before", "n", 1L)),
        arguments(
            "cut",
            Map.of(
                "plain", "x".repeat(1_024),
                "pair", "y".repeat(1_023),
                "list", List.of("w".repeat(1_024)))),
        arguments("kindServer", Map.of()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("methods")
  void arguments_areRecordedByTheirTypes(String method, Map<String, Object> expected)
      throws Exception {
    Map<String, Object> recorded = new TreeMap<>(result.span("worker." + method).attributes());
    assertThat(recorded.remove("code.function.name"))
        .isEqualTo("io.rollotel.it.AttributeWorker." + method);
    assertThat(recorded).isEqualTo(new TreeMap<>(expected));
  }

  @Test
  void attributeLength_isWhereTextIsCut() throws Exception {
    Path shorter = Files.createDirectory(directory.resolve("shorter"));
    Result cut =
        ProgramRun.of(shorter, AttributeWorker.class)
            .environment("ROLL_OTEL_ATTRIBUTE_LENGTH", "10")
            .run();

    assertThat(cut.span("worker.cutAtTen").attributes())
        .containsEntry("plain", "x".repeat(10))
        .as("no half of a pair is left over")
        .containsEntry("pair", "y".repeat(9))
        .containsEntry("whole", "z".repeat(10))
        .as("what the agent itself records is not cut")
        .containsEntry("code.function.name", "io.rollotel.it.AttributeWorker.cutAtTen");
    assertThat(result.span("worker.cutAtTen").attributes())
        .containsEntry("pair", "y".repeat(9) + "\uD83D\uDE00");
  }

  @ParameterizedTest
  @CsvSource({
    "worker.kindServer, 2, kindServer",
    "worker.kindClient, 3, kindClient",
    "worker.kindProducer, 4, kindProducer",
    "worker.kindConsumer, 5, kindConsumer",
    "worker.text, 1, text",
    "a name of its own, 1, named",
  })
  void kindAndName_areThoseOfTheAnnotation(String name, int kind, String method) throws Exception {
    Span span = result.span(name);
    assertThat(span.kind()).isEqualTo(kind);
    assertThat(span.attributes())
        .containsEntry("code.function.name", "io.rollotel.it.AttributeWorker." + method);
  }

  @ParameterizedTest
  @CsvSource({
    "expected, 0, java.io.IOException: no more batches, IOException",
    "subclass, 0, java.io.FileNotFoundException: no more batches, FileNotFoundException",
    "unrelated, 2, java.lang.IllegalStateException: no gradient, IllegalStateException",
    "error, 2, java.lang.NoClassDefFoundError: gone, NoClassDefFoundError",
    "missing, 0, java.io.IOException: 1, IOException",
  })
  void exception_isAnEventAndUnlessExpectedAnError(
      String method, int status, String event, String caught) throws Exception {
    assertThat(result.span("worker." + method).statusCode()).isEqualTo(status);
    assertThat(exceptions.get("worker." + method)).containsExactly(event);
    assertThat(result.lines()).contains("caught " + method + " " + caught);
  }

  @Test
  void whatGoesWrong_isOneLineEachAndTheProgramRunsOn() {
    assertThat(result.exitCode()).isZero();
    assertThat(result.lines()).contains("returned before18");
    assertThat(result.err().lines())
        .satisfiesExactlyInAnyOrder(
            line ->
                assertThat(line)
                    .contains("@SpanAttribute without a key is ignored in", ".repeated"),
            line ->
                assertThat(line).contains("tracing failed; the application continues", "length"),
            line -> assertThat(line).contains("@Register(expected)", "no class com.google.common"),
            line ->
                assertThat(line).contains("AttributeWorker is traced, but was compiled without"));
  }
}
