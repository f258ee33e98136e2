package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.it.kit.RayCluster;
import io.rollotel.it.kit.RayProgram;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Ray's calls, on a real cluster and in LOCAL mode. */
@Tag("engines")
@Tag("ray") // runs on the newest Ray as well
class RayIT {

  /** A shape, what it answers, and the spans inside its own, in preorder; ">" for each level. */
  private record Shape(String name, boolean alsoLocal, String answer, String... spans) {}

  private static final String[] CREATED = {
    "> Calls.Actor.<init> ray.remote", ">> Calls.Actor.<init> ray.remote_worker"
  };

  private static final List<Shape> SHAPES =
      List.of(
          shape("byValue", "11", call("plain")),
          shape("noArguments", "10", call("none")),
          shape("noResult", "10", call("nothing") + ";" + call("plain")),
          shape("reference", "12", call("plain")),
          shape("large", "200000", call("size")),
          shape("bytes", "3", call("raw")),
          shape(
              "factories",
              "63",
              String.join(";", call("plain"), call("plain"), call("plain")),
              String.join(";", CREATED),
              String.join(";", CREATED)),
          new Shape(
              "function",
              true,
              "7",
              "> Calls.seven ray.remote",
              ">> Calls.seven ray.remote_worker"),
          new Shape(
              "nested",
              true,
              "2",
              "> Calls.deeper ray.remote",
              ">> Calls.deeper ray.remote_worker",
              ">>> Calls.deeper ray.remote",
              ">>>> Calls.deeper ray.remote_worker",
              ">>>>> Calls.deeper ray.remote",
              ">>>>>> Calls.deeper ray.remote_worker"),
          shape(
              "workerMethod",
              "13",
              call("worker") + ";>>> worker.worker;>>>> prefetch;>>>> exec;>>>> to_remote"),
          shape(
              "carrier",
              "1",
              call("payload") + ";>>> worker.payload;>>>> prefetch;>>>> exec;>>>> to_remote"),
          shape(
              "failing",
              "RayTaskException of my fault",
              "> Calls.Actor.fails ray.remote;>> Calls.Actor.fails ray.remote_worker ERROR"),
          cluster("killed", "15", call("plain")),
          cluster("leaving", "RayActorException", call("leave")),
          // The first attempt dies with its process and leaves no span.
          cluster("retried", "10", call("diesOnce")),
          shape(
              "concurrent",
              "[0, 1, 2, 3]",
              String.join(";", call("slow"), call("slow"), call("slow"), call("slow"))));

  private static final long START_MILLIS = System.currentTimeMillis();

  private static @TempDir Path directory;
  private static RayCluster cluster;
  private static RayProgram calls;
  private static Result onCluster;
  private static Result local;

  @BeforeAll
  static void runAllShapes() throws Exception {
    calls = RayProgram.compiled(directory);
    local = local("ON");
    cluster = RayCluster.start();
    onCluster = driver(Files.createDirectory(directory.resolve("cluster")), true, List.of()).run();
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
    RayCluster.deleteLibraries(START_MILLIS);
  }

  static Stream<Arguments> shapes() {
    return SHAPES.stream()
        .flatMap(
            shape ->
                shape.alsoLocal
                    ? Stream.of(Arguments.of("cluster", shape), Arguments.of("LOCAL", shape))
                    : Stream.of(Arguments.of("cluster", shape)));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void call_isLinkedAndHasItsPhases(String mode, Shape shape) throws Exception {
    Result result = mode.equals("LOCAL") ? local : onCluster;
    assertThat(result.lines()).as(result.err()).contains(shape.name + ": " + shape.answer);
    List<Span> spans = RayProgram.joined(result.directory());
    Span own =
        spans.stream().filter(s -> s.name().equals("worker." + shape.name)).findFirst().get();
    List<String> inside = new ArrayList<>();
    RayProgram.tree(own, spans, ">", inside);
    int all = inside.size();
    if (shape.name.equals("retried") && all > shape.spans.length) {
      // Of the two constructors one ran in the process that died: sent in time, or lost with it.
      inside.remove(CREATED[1]);
    }
    List<String> expected = List.of(shape.spans);
    assertThat(inside).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(spans.stream().filter(span -> span.traceId().equals(own.traceId())))
        .as("all of it is one trace")
        .hasSize(all + 1);
  }

  @Test
  void everyParent_isThere() throws Exception {
    for (Result result : List.of(onCluster, local)) {
      List<Span> spans = RayProgram.joined(result.directory());
      Set<String> ids =
          spans.stream().map(s -> s.traceId() + s.spanId()).collect(Collectors.toSet());
      assertThat(spans)
          // The one that the payload of a foreign driver names.
          .filteredOn(span -> !span.parentSpanId().equals("00f067aa0ba902b7"))
          .filteredOn(span -> !span.parentSpanId().isEmpty())
          .allMatch(span -> ids.contains(span.traceId() + span.parentSpanId()));
      assertThat(spans)
          .filteredOn(span -> span.kind() == 5)
          .as("calls that are linked")
          .noneMatch(span -> span.parentSpanId().isEmpty());
    }
  }

  /** It identifies the call even if its worker dies before it sends the span. */
  @Test
  void executionWithoutACarrier_beginsTheTraceThatItsCallTells() throws Exception {
    List<Span> spans = Result.spans(onCluster.directory().resolve("output/otlp"));
    assertThat(spans)
        .filteredOn(span -> span.kind() == 5 && span.attributes().containsKey(CallJoins.JOIN))
        .filteredOn(span -> span.name().startsWith("Calls.Actor.no")) // not a worker's first
        .isNotEmpty()
        .allSatisfy(
            span ->
                assertThat(span.traceId())
                    .isEqualTo(
                        CallJoins.derivedTraceId(
                            span.resource().text("roll.run_id"),
                            (String) span.attributes().get("ray.task_id"))));
  }

  @Test
  void bothEnds_haveRaysAttributes() throws Exception {
    List<Span> all = RayProgram.joined(onCluster.directory());
    List<Span> spans = RayProgram.exported(all);
    assertThat(spans).hasSizeGreaterThan(all.size() / 2);
    for (Span span : spans) {
      if (span.kind() != 4 && span.kind() != 5) {
        continue;
      }
      assertThat(span.attributes())
          .as(span.name())
          .containsKeys(
              "ray.remote", "ray.function", "ray.pid", "ray.job_id", "ray.node_id", "ray.task_id");
      boolean actor = span.name().startsWith("Calls.Actor.");
      assertThat(span.attributes().get("ray.remote")).isEqualTo(actor ? "actor" : "function");
      if (actor) {
        assertThat(span.attributes())
            .containsKey("ray.actor_id")
            .containsEntry("ray.actor_class", "com.example.Calls$Actor");
      }
      if (span.kind() == 5) {
        assertThat(span.attributes()).containsKey("ray.worker_id");
        Span sender =
            all.stream().filter(s -> s.spanId().equals(span.parentSpanId())).findFirst().get();
        if (spans.contains(sender)) {
          assertThat(span.attributes().get("ray.task_id"))
              .isEqualTo(sender.attributes().get("ray.task_id"));
        }
        assertThat(span.attributes().get("ray.pid"))
            .isEqualTo(span.resource().text("process.pid"))
            .isNotEqualTo(sender.resource().text("process.pid"));
      }
    }
    assertThat(all.stream().map(s -> s.resource().text("process.pid")).distinct())
        .hasSizeGreaterThan(5);
  }

  @Test
  void verbose_hasWhatIsFetchedAndStored() throws Exception {
    List<Span> spans = RayProgram.joined(local("VERBOSE").directory());
    assertThat(spans)
        .filteredOn(span -> span.name().equals("ray.get"))
        .isNotEmpty()
        .allMatch(span -> (long) span.attributes().get("ray.objects") >= 1);
    assertThat(spans)
        .filteredOn(span -> span.name().equals("ray.put"))
        .hasSize(1)
        .allMatch(span -> (long) span.attributes().get("ray.bytes") > 0);
  }

  @Test
  void oneHost_isAskedForNoFiles() throws Exception {
    Path where = Files.createDirectory(directory.resolve("one-host"));
    Result result =
        calls
            .driver(cluster, where, true, List.of(), "byValue")
            .environment("ROLL_OTEL_LOG", "debug")
            .run();
    assertThat(result.lines()).as(result.err()).contains("byValue: 11");
    assertThat(result.said()).isNotEmpty().noneMatch(line -> line.contains("other hosts"));
  }

  @Test
  void off_hasOnlyWorkersSpans() throws Exception {
    Result result = local("OFF");
    assertThat(RayProgram.joined(result.directory()))
        .isNotEmpty()
        .allMatch(span -> span.name().startsWith("worker."));
  }

  /** The worker itself sends only the spans of finished tasks. */
  @Test
  void killedBusyActor_leavesItsOpenSpansAndItsLastEndedOnes() throws Exception {
    Path where = Files.createDirectory(directory.resolve("killed-busy"));
    List<String> job = List.of("-Dray.job.runtime-env.env-vars.OTEL_BSP_SCHEDULE_DELAY=600000");
    Result result = calls.driver(cluster, where, true, job, "killedBusy").run();
    assertThat(result.lines()).as(result.err()).contains("killedBusy: RayActorException");
    TracesReader reader = new TracesReader();
    List<Span> spans = new ArrayList<>();
    reader.read(where.resolve("output/otlp"), spans::add);
    assertThat(spans)
        .filteredOn(span -> span.name().equals("worker.worker"))
        .hasSizeGreaterThan(20)
        .anyMatch(span -> span.attributes().containsKey(Recording.RECOVERED));
    assertThat(reader.recordings())
        .singleElement()
        .satisfies(
            dead -> {
              assertThat(dead.isAlive()).isFalse();
              assertThat(dead.open())
                  .extracting(OpenSpan::name)
                  .contains("worker.busy", "Calls.Actor.busy ray.remote_worker");
            });

    Result report =
        ProgramRun.of(where, Payload.class)
            .withoutAgent()
            .withoutEnvironment("ROLL_OTEL_ENABLED")
            .jar(ProgramRun.AGENT, "report", where.resolve("output/otlp").toString())
            .run();
    assertThat(report.out())
        .containsPattern("worker.busy .* dead ")
        .contains("worker.worker")
        .doesNotContain("ray.remote");
  }

  @Test
  void startupHookOfTheJob_shapesWorkersToo() throws Exception {
    Path where = Files.createDirectory(directory.resolve("hooked"));
    calls
        .driver(cluster, where, true, List.of(), "byValue,function")
        .environment("ROLL_OTEL_STARTUP_HOOK", "com.example.Hook::setup")
        .run();
    List<Span> spans = RayProgram.joined(where);
    assertThat(spans.stream().map(s -> s.resource().text("process.pid")).distinct()).hasSize(3);
    assertThat(spans)
        .allMatch(span -> Boolean.TRUE.equals(span.resource().attributes().get("hooked")));
  }

  @Test
  void agentInTheDriverAlone_leavesTheCallsAsTheyAre() throws Exception {
    Path where = Files.createDirectory(directory.resolve("driver-only"));
    // The user's settings for workers override those that the driver adds.
    Result result =
        driver(where, true, List.of("-Dray.job.runtime-env.env-vars.ROLL_OTEL_ENABLED=0")).run();
    hasAllAnswers(result);
    assertThat(RayProgram.joined(result.directory()))
        .filteredOn(span -> span.kind() == 5)
        .isEmpty();
  }

  @Test
  void agentInTheWorkersAlone_leavesTheCallsAsTheyAre() throws Exception {
    Path where = Files.createDirectory(directory.resolve("workers-only"));
    List<String> job =
        List.of(
            "-Dray.job.jvm-options." + RayProgram.OPENS.size() + "=-javaagent:" + ProgramRun.AGENT,
            "-Dray.job.runtime-env.env-vars.ROLL_OTEL_ENABLED=1",
            "-Dray.job.runtime-env.env-vars.ROLL_OTEL_ROLE=worker",
            "-Dray.job.runtime-env.env-vars.ROLL_OTEL_OUTPUT_DIR=" + where.resolve("output/otlp"));
    Result result = driver(where, false, job).run();
    hasAllAnswers(result);
    assertThat(RayProgram.awaitSpans(where.resolve("output/otlp"), 20))
        .filteredOn(span -> span.name().endsWith("ray.remote"))
        .as("senders are nested tasks alone")
        .allMatch(span -> span.name().equals("Calls.deeper ray.remote"));
  }

  private static void hasAllAnswers(Result result) {
    for (Shape shape : SHAPES) {
      assertThat(result.lines()).as(result.err()).contains(shape.name + ": " + shape.answer);
    }
  }

  private static Result local(String ray) throws Exception {
    Path where = Files.createDirectories(directory.resolve("local-" + ray));
    String shapes =
        SHAPES.stream().filter(Shape::alsoLocal).map(Shape::name).collect(Collectors.joining(","));
    return calls
        .run(where, shapes)
        .jvmOptions("-Dray.run-mode=LOCAL")
        .environment("ROLL_OTEL_RAY", ray)
        .run();
  }

  private static ProgramRun driver(Path where, boolean agent, List<String> job) throws Exception {
    return calls.driver(
        cluster,
        where,
        agent,
        job,
        SHAPES.stream().map(Shape::name).collect(Collectors.joining(",")));
  }

  /** With an actor's creation before its calls. */
  private static Shape shape(String name, String answer, String... calls) {
    return new Shape(name, true, answer, withCreation(String.join(";", calls)));
  }

  private static Shape cluster(String name, String answer, String calls) {
    return new Shape(name, false, answer, withCreation(calls));
  }

  private static String[] withCreation(String calls) {
    return (String.join(";", CREATED) + ";" + calls).split(";");
  }

  private static String call(String method) {
    return "> Calls.Actor."
        + method
        + " ray.remote;>> Calls.Actor."
        + method
        + " ray.remote_worker";
  }
}
