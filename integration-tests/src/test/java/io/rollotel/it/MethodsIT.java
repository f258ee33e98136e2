package io.rollotel.it;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rollotel.it.kit.Javac;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.it.kit.SituationSpans;
import io.rollotel.traces.otlp.Span;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every kind of method, in class files of every release, under the shipped jar: one span per call,
 * and the answers of a JVM without it. The fixtures are those of the agent's own
 * WeaverMethodKindsTest.
 */
class MethodsIT {

  /** Situation, and the spans that it makes: a(b) is a call of b inside a. */
  private static final String KINDS =
      """
      annotatedInTheInterfaceAlone
      anonymousClass                       call
      bodyThatStartsWithALoop              loopsBeforeAnythingElse
      bodyWithLambda                       lambda
      bridgeOfACovariantReturn             make make
      bridgeOfAGenericInterface            work work
      bridgeToAPackagePrivateSuperclass    visible visible
      calledByReflection                   inner
      emptyBody                            empty
      enumMethods                          mix mix
      finalMethod                          last
      genericMethod                        generic
      inheritedMethod                      inherited
      innerClass                           ofInner
      interfaceDefaultAndStaticMethods     byDefault(ofFace)
      lambdaThatCalls                      inner hidden
      localClass                           ofLocal
      manyReturnsCatchesAndFinallys        manyWaysOut manyWaysOut manyWaysOut manyWaysOut
      methodReference                      ofClass
      nestedClass                          ofNested
      overriddenMethodThatCallsSuper       derived(overridden)
      privateMethod                        hidden
      privateStaticMethod                  hiddenOfClass
      reassignedParameters                 reassigned
      recursiveMethod                      factorial(factorial(factorial))
      returnsArray                         array
      returnsNull                          returnsNullItself
      returnsPrimitives                    aBoolean aByte aChar aShort anInt aLong aFloat aDouble
      returnsVoid                          nothing
      selfInvokedMethods                   outer(inner hiddenInner)
      staticMethod                         ofClass
      strictfpMethod                       strict
      synchronizedMethod                   locked
      synchronizedMethodThatThrows         lockedAndThrows
      synchronizedStaticMethod             lockedClass
      throwsTheSameObject                  throwsIt throwsIt throwsIt
      traceFalse
      varargsMethod                        varargs varargs
      wideParameters                       wide
      """;

  private static final String NEWER_KINDS =
      """
      bodyWithItsOwnInvokedynamic          concatenated
      privateInterfaceMethods              hidden hiddenOfClass
      privateMethodOfANestMate             hidden
      recordMethods                        of sum
      sealedInterface                      corners corners
      """;

  private static final String SERIAL =
      """
      ofAClass                             work
      ofAClassOfAnInterface                work
      """;

  /** In a class of 24 methods, this one has no room for woven code. */
  private static final int TOO_LARGE = 11;

  private static final int METHODS = 24;

  /**
   * Where the recorder counts something else: each throw in a body adds an event, a class with a
   * method that it cannot instrument has no events, and it ignores trace = false.
   */
  private static final String RECORDED_OTHERWISE =
      ".*[.](throwsIt|lockedAndThrows|manyWaysOut|notTraced|untraced)|fixtures[.]Many[.].*";

  private static @TempDir Path directory;

  private static String[] program;
  private static Result result;
  private static SituationSpans spans;

  @BeforeAll
  static void runAll() throws Exception {
    Path fixtures = ProgramRun.ROOT.resolve("agent/src/test/resources/fixtures");
    Path own = ProgramRun.ROOT.resolve("integration-tests/src/test/resources/methods");
    List<String> arguments = new ArrayList<>();
    for (int release : Javac.releases()) {
      List<Path> sources = new ArrayList<>(List.of(fixtures.resolve("Kinds.java")));
      if (release >= 17) {
        sources.add(fixtures.resolve("NewerKinds.java"));
      }
      Path folder =
          Javac.compile(release, directory.resolve("" + release), sources.toArray(Path[]::new));
      String classes = release >= 17 ? "fixtures.Kinds,fixtures.NewerKinds" : "fixtures.Kinds";
      arguments.addAll(List.of("" + release, classes, folder.toString()));
    }
    Path many = Files.writeString(directory.resolve("Many.java"), many());
    Path others = Javac.compile(17, directory.resolve("others"), own.resolve("Serial.java"), many);
    arguments.addAll(List.of("serial", "fixtures.Serial", others.toString()));
    arguments.addAll(List.of("many", "fixtures.Many", others.toString()));
    program = arguments.toArray(String[]::new);
    result = ProgramRun.of(directory, Situations.class, program).run();
    spans = new SituationSpans(result);
  }

  /** A method's code may have 65,535 bytes: this one's has 65,529, and weaving needs more. */
  private static String many() {
    String methods =
        IntStream.range(0, METHODS)
            .mapToObj(
                i ->
                    "@io.rollotel.annotations.Register(trace = true) static void m%d() {%s}\n"
                        .formatted(i, "x++;".repeat(i == TOO_LARGE ? 8_191 : 1)))
            .collect(joining());
    String calls = IntStream.range(0, METHODS).mapToObj(i -> "m" + i + "();").collect(joining());
    return """
    package fixtures;
    public class Many {
      static int x;
      %s
      public static boolean all() {
        %s
        return x == 8_191 + 23;
      }
    }
    """
        .formatted(methods, calls);
  }

  static Stream<Arguments> situations() {
    return Javac.releases().stream()
        .map(
            release -> {
              Map<String, String> trees = new TreeMap<>();
              rows(trees, release + " Kinds.", KINDS);
              if (release >= 17) {
                rows(trees, release + " NewerKinds.", NEWER_KINDS);
              }
              return Arguments.of(release, trees);
            });
  }

  private static void rows(Map<String, String> trees, String before, String table) {
    for (String line : table.lines().toList()) {
      String[] row = line.strip().split(" +", 2);
      trees.put(before + row[0], row.length == 2 ? row[1] : "");
    }
  }

  @ParameterizedTest(name = "class files of Java {0}")
  @MethodSource("situations")
  void everyKindOfMethod_makesOneSpanPerCall(int release, Map<String, String> expected) {
    Map<String, String> trees = new TreeMap<>(spans.trees());
    trees.keySet().removeIf(situation -> !situation.startsWith(release + " "));
    assertThat(trees).isEqualTo(expected);
  }

  @Test
  void everyKindOfMethod_returnsAndThrowsTheSame() {
    assertThat(result.exitCode()).isZero();
    assertThat(spans.answers().keySet()).isEqualTo(spans.trees().keySet());
    Map<String, String> wrong = new TreeMap<>(spans.answers());
    wrong.keySet().removeIf(situation -> situation.startsWith("serial"));
    wrong.values().removeIf("true"::equals);
    assertThat(wrong).isEmpty();
  }

  @Test
  void everySpan_isInItsSituationAndNamesItsMethod() {
    assertThat(spans.strays()).isEmpty();
    assertThat(spans.all)
        .allSatisfy(
            span -> {
              assertThat(span.traceId()).isEqualTo(Payload.TRACE_ID);
              assertThat(span.scopeName()).isEqualTo("worker");
              assertThat(function(span))
                  .startsWith(
                      span.name().equals("worker.situation")
                          ? "io.rollotel.it.Situations."
                          : "fixtures.");
            });
  }

  @Test
  void methodThatThrows_isAnError() {
    for (Span span : spans.all) {
      boolean throwing = List.of("worker.throwsIt", "worker.lockedAndThrows").contains(span.name());
      assertThat(span.statusCode() == Span.STATUS_ERROR).as(span.name()).isEqualTo(throwing);
    }
  }

  @Test
  void oneMethodTooLargeToBeWoven_costsNoneOfTheOther23() {
    String all =
        IntStream.range(0, METHODS)
            .filter(i -> i != TOO_LARGE)
            .mapToObj(i -> "m" + i)
            .collect(joining(" "));
    assertThat(spans.trees()).containsEntry("many Many.all", all);
    assertThat(result.err().lines())
        .as("the processor refuses one of the kinds, so it does not run")
        .anyMatch(line -> line.contains(" classes were compiled without roll-otel's processor"))
        .filteredOn(line -> !line.contains("compiled without roll-otel's"))
        .singleElement()
        .asString()
        .startsWith("[roll-otel] fixtures.Many.m" + TOO_LARGE + " stays untraced: ");
  }

  @Test
  void serialVersionUid_isThatOfTheUnwovenClass() throws Exception {
    Result without =
        ProgramRun.of(directory, Situations.class, program).withoutAgent().run().isClean();
    assertThat(without.out()).as("and everything else").isEqualTo(result.out());
    Map<String, String> expected = new TreeMap<>();
    rows(expected, "serial Serial.", SERIAL);
    assertThat(spans.trees()).containsAllEntriesOf(expected);
    assertThat(spans.answers().get("serial Serial.ofAClass")).matches("-?\\d{10,}");
  }

  /** Method tracing (JEP 520) counts the calls of annotated methods by means of the JVM. */
  @Test
  void flightRecorder_countsAsManyCallsAsThereAreSpans() throws Exception {
    assumeTrue(Runtime.version().feature() >= 25, "method tracing needs JDK 25");
    Path recording = directory.resolve("calls.jfr");
    Path run = Files.createDirectory(directory.resolve("recorded"));
    Result recorded =
        ProgramRun.of(run, Situations.class, program)
            .jvmOptions(
                "-Xlog:jfr*=off",
                "-XX:StartFlightRecording:method-trace=@io.rollotel.annotations.Register,filename="
                    + recording)
            .run();
    assertThat(recorded.exitCode()).isZero();

    Map<String, Integer> calls = new TreeMap<>();
    try (RecordingFile events = new RecordingFile(recording)) {
      while (events.hasMoreEvents()) {
        var event = events.readEvent();
        if (event.getEventType().getName().equals("jdk.MethodTrace")) {
          RecordedMethod method = event.getValue("method");
          calls.merge(method.getType().getName() + "." + method.getName(), 1, Integer::sum);
        }
      }
    }
    Map<String, Integer> traced = new TreeMap<>();
    for (Span span : recorded.spans()) {
      traced.merge(function(span), 1, Integer::sum);
    }
    for (Map<String, Integer> counts : List.of(calls, traced)) {
      counts.keySet().removeIf(method -> method.matches(RECORDED_OTHERWISE));
    }
    assertThat(calls).hasSizeGreaterThan(50);
    assertThat(traced).isEqualTo(calls);
  }

  private static String function(Span span) {
    return (String) span.attributes().get("code.function.name");
  }
}
