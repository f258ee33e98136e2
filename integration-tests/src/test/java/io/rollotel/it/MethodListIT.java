package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.it.kit.SpanEvents;
import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Methods that are traced without an annotation: {@code ROLL_OTEL_METHODS}. */
class MethodListIT {

  private static final String PROGRAM = "io.rollotel.it.ListedWorker";

  private @TempDir Path directory;

  private Result run(String methods, String... arguments) throws Exception {
    return ProgramRun.of(directory, ListedWorker.class, arguments)
        .environment("ROLL_OTEL_METHODS", methods)
        .run();
  }

  private static List<Span> of(Result result, String className) throws IOException {
    return result.spans().stream().filter(span -> function(span).startsWith(className)).toList();
  }

  private static String function(Span span) {
    return (String) span.attributes().get("code.function.name");
  }

  @Test
  void namesStarsAndInnerClasses_giveTheSpansOfTheAnnotatedTwins() throws Exception {
    Result result =
        run(
            (" %1$s$Listed[train, gen*]; io.rollotel.**[apply,async];"
                    + "io.**.ListedWorker$L*[outer,fails,withoutContext];;%1$s$Listed$Inner[*]")
                .formatted(PROGRAM));

    result.isClean();
    assertThat(result.lines())
        .containsExactly("9", "caught no gradient", "9", "caught no gradient");
    List<Span> listed = of(result, PROGRAM + "$Listed");
    List<Span> annotated = of(result, PROGRAM + "$Annotated");
    assertThat(listed.stream().map(span -> shape(span, listed)))
        .hasSize(10)
        .containsExactlyInAnyOrderElementsOf(
            annotated.stream().map(span -> shape(span, annotated)).toList());
    assertThat(listed.stream().map(Span::name))
        .as("no context, no span; twice where it is called by another as well")
        .doesNotContain("worker.withoutContext")
        .containsOnlyOnce("worker.apply");
    assertThat(SpanEvents.exceptions(result))
        .containsEntry(
            "worker.fails",
            List.of(
                "java.lang.IllegalStateException: no gradient",
                "java.lang.IllegalStateException: no gradient"));
  }

  /** Everything in a span except the names of its class and its call. */
  private static String shape(Span span, List<Span> twins) {
    Map<String, Object> attributes = new HashMap<>(span.attributes());
    attributes.remove("code.function.name");
    String parent =
        twins.stream()
            .filter(twin -> twin.spanId().equals(span.parentSpanId()))
            .map(Span::name)
            .findFirst()
            .orElse(span.parentSpanId());
    return String.join(
        " ", span.name(), parent, attributes.toString(), span.kind() + "/" + span.statusCode());
  }

  @Test
  void annotatedAndListed_isOneSpanAsTheAnnotationSays() throws Exception {
    Result result = run(PROGRAM + "[both,untraced];" + PROGRAM + "$Annotated[*]");

    result.isClean();
    Map<String, Long> counts =
        result.spans().stream().collect(Collectors.groupingBy(Span::name, Collectors.counting()));
    assertThat(counts)
        .containsEntry("annotated and listed", 1L)
        .containsEntry("worker.train", 1L)
        .containsEntry("worker.apply", 1L)
        .doesNotContainKey("worker.untraced");
  }

  @Test
  void entriesThatMatchNothing_areNamedAtExitAndMalformedOnesAtTheStart() throws Exception {
    Result result =
        run(
            PROGRAM
                + "$Listed[train,trian];nonsense;com.acme.Nowhere[run];"
                + PROGRAM
                + "[nowhere]");

    assertThat(result.exitCode()).isZero();
    assertThat(result.err().lines())
        .satisfiesExactly(
            line -> assertThat(line).contains("ROLL_OTEL_METHODS: nonsense is not understood"),
            line ->
                assertThat(line)
                    .contains(PROGRAM + "$Listed[trian] matched no method: the loaded classes"),
            line ->
                assertThat(line)
                    .contains(PROGRAM + "[nowhere] matched no method: the loaded classes"));
    assertThat(of(result, PROGRAM + "$Listed")).hasSize(1);
  }

  @Test
  void onlyEntryThatMatchesNothing_isNamedThoughNothingWasTraced() throws Exception {
    Result result =
        ProgramRun.of(directory, SilentWorker.class)
            .environment("ROLL_OTEL_METHODS", "com.acme.Nowhere[run]")
            .run();

    assertThat(result.err().lines())
        .singleElement()
        .asString()
        .contains("ROLL_OTEL_METHODS: com.acme.Nowhere[run] matched no method");
    assertThat(directory.resolve("output")).as("and nothing was started").doesNotExist();
  }

  @Test
  void classesOfTheJdkOfTheAgentAndGeneratedOnes_areNeverTouched() throws Exception {
    Result result =
        ProgramRun.of(directory, ListedWorker.class, "jobs")
            .environment("ROLL_OTEL_METHODS", "**[run];io.rollotel.agent.**[*]")
            .environment("ROLL_OTEL_LOG", "debug")
            .run();

    assertThat(result.exitCode()).isZero();
    assertThat(result.lines()).contains("compiled 0");
    assertThat(result.said().stream().filter(line -> line.contains(" woven: ")))
        .hasSizeGreaterThan(2)
        .allMatch(line -> line.contains(" woven: " + PROGRAM))
        .noneMatch(line -> line.contains("Proxy"));
    assertThat(result.spans().stream().filter(span -> span.name().equals("worker.run")))
        .hasSize(4)
        .allMatch(span -> function(span).equals(PROGRAM + "$Job.run"));
    assertThat(result.said())
        .anyMatch(line -> line.contains("io.rollotel.agent.**[*] matched no method"));
  }
}
