package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.it.kit.RayCluster;
import io.rollotel.it.kit.RayProgram;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.recording.Recording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ray's calls between Python and Java on a real cluster, with and without the Python package. */
@Tag("engines")
@Tag("ray") // runs on the newest Ray as well
class RayPythonIT {

  private static final Path PACKAGE = ProgramRun.ROOT.resolve("python");
  private static final String SHAPES =
      "python,pythonNone,pythonFails,pythonActor,pythonNested,pythonAtOnce";
  private static final long START_MILLIS = System.currentTimeMillis();

  private static @TempDir Path directory;
  private static RayProgram calls;
  private static RayCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    calls = RayProgram.compiled(directory);
    cluster = RayCluster.start();
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
    RayCluster.deleteLibraries(START_MILLIS);
  }

  @Test
  void pythonPackage_passesItsOwnTests() throws Exception {
    for (List<String> module :
        List.of(
            List.of("mypy", "--cache-dir", "/dev/null"),
            List.of("pytest", "-q", "-p", "no:cacheprovider"))) {
      List<String> arguments = new ArrayList<>(List.of("-B", "-m"));
      arguments.addAll(module);
      python(PACKAGE, Map.of(), arguments);
    }
  }

  @Test
  void javaToPython_isOneTrace() throws Exception {
    Path where = Files.createDirectory(directory.resolve("java-to-python"));
    Result result = calls.driver(cluster, where, true, withPackage(), SHAPES).run();

    hasAnswersOfPython(result);
    List<Span> spans = RayProgram.joined(where);
    hasTree(spans, "worker.python", call("py_calls.twice", ""));
    hasTree(spans, "worker.pythonNone", call("py_calls.three", ""));
    hasTree(spans, "worker.pythonFails", call("py_calls.fails", " ERROR"));
    hasTree(
        spans,
        "worker.pythonActor",
        call("Counter.__init__", ""),
        call("Counter.add", ""),
        call("Counter.read", ""));
    hasTree(
        spans,
        "worker.pythonNested",
        call("py_calls.schedule", "")
            + ";>>> Scheduler.__init__ ray.remote;>>>> Scheduler.__init__ ray.remote_worker",
        call("Scheduler.fails_later", " ERROR"),
        call("Scheduler.nested", "")
            + ";>>> py_calls.twice ray.remote;>>>> py_calls.twice ray.remote_worker");
    everyParentIsThere(spans);
    everyExecutionIsOfItsOwnCall(spans, 1201);
    assertThat(RayProgram.exported(spans))
        .filteredOn(span -> span.kind() == 5)
        .allSatisfy(this::hasItsSendersIds);
    assertThat(spans)
        .filteredOn(span -> span.kind() == 5)
        .allSatisfy(
            span -> {
              assertThat(span.resource().text("service.name")).isEqualTo("ray-worker");
              assertThat(span.resource().text("roll.run_id"))
                  .isEqualTo(spans.get(0).resource().text("roll.run_id"));
            });
  }

  /** Its exporter never runs, so everything known of it is in the recorder's file. */
  @Test
  void killedPythonActor_leavesItsOpenSpansAndItsLastEndedOnes() throws Exception {
    Path where = Files.createDirectory(directory.resolve("killed-python"));
    List<String> job = new ArrayList<>(withPackage());
    job.add("-Dray.job.runtime-env.env-vars.OTEL_BSP_SCHEDULE_DELAY=600000");
    Result result = calls.driver(cluster, where, true, job, "pythonKilled").run();

    assertThat(result.lines()).as(result.err()).contains("pythonKilled: RayActorException");
    TracesReader reader = new TracesReader();
    List<Span> read = new ArrayList<>();
    reader.read(where.resolve("output/otlp"), read::add);
    List<Span> spans = read.stream().map(reader.joins()::join).toList();
    hasTree(
        spans.stream().filter(span -> !span.name().contains("twice")).toList(),
        "worker.pythonKilled",
        call("Counter.__init__", ""),
        call("Counter.add", ""),
        "> Counter.stay ray.remote");
    assertThat(spans)
        .filteredOn(span -> span.name().equals("py_calls.twice ray.remote"))
        .singleElement()
        .matches(span -> span.attributes().containsKey(Recording.RECOVERED));
    assertThat(reader.recordings())
        .filteredOn(recording -> !recording.open().isEmpty())
        .singleElement()
        .satisfies(
            dead -> {
              assertThat(dead.isAlive()).isFalse();
              assertThat(dead.resource().text("service.name")).isEqualTo("ray-worker");
              assertThat(dead.open())
                  .singleElement()
                  .matches(span -> span.name().equals("Counter.stay ray.remote_worker"));
            });
  }

  @Test
  void javaToPythonWithoutThePackage_isSentAndWorks() throws Exception {
    Path where = Files.createDirectory(directory.resolve("java-to-plain-python"));
    Result result = calls.driver(cluster, where, true, List.of(), SHAPES).run();

    hasAnswersOfPython(result);
    assertThat(RayProgram.joined(where))
        .filteredOn(span -> span.kind() == 4)
        .extracting(Span::name)
        .contains(
            "py_calls.twice ray.remote", "Counter.__init__ ray.remote", "Counter.add ray.remote");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "roll_otel_ray:setup"})
  void pythonToJavaAndPython_isOneTraceWithRaysHookToo(String hook) throws Exception {
    Path where = Files.createDirectory(directory.resolve("python-to-java" + hook.length()));
    pythonDriver(where, true, hook);

    List<Span> spans = RayProgram.joined(where);
    hasTree(
        spans,
        "pipeline_step",
        call("Calls.Actor.<init>", ""),
        call("Calls.Actor.plain", ""),
        call("Calls.Actor.none", ""),
        call("Calls.Actor.worker", "")
            + ";>>> worker.worker;>>>> prefetch;>>>> exec;>>>> to_remote",
        call("Calls.Actor.json", "") + ";>>> worker.payload",
        call("Calls.Actor.viaPython", "")
            + ";>>> py_calls.twice ray.remote;>>>> py_calls.twice ray.remote_worker",
        call("Calls.seven", ""),
        call("py_calls.twice", ""),
        call("Scheduler.__init__", ""),
        call("Scheduler.nested", "")
            + ";>>> py_calls.twice ray.remote;>>>> py_calls.twice ray.remote_worker");
    everyParentIsThere(spans);
    assertThat(spans.stream().map(Span::traceId).distinct()).hasSize(1);
    assertThat(RayProgram.exported(spans))
        .filteredOn(span -> span.kind() == 5)
        .allSatisfy(this::hasItsSendersIds);
    assertThat(spans.stream().map(span -> span.resource().text("roll.run_id")).distinct())
        .hasSize(1);
  }

  @Test
  void pythonToJavaWithoutThePackage_hasThePayloadsContext() throws Exception {
    Path where = Files.createDirectory(directory.resolve("plain-python-to-java"));
    pythonDriver(where, false, "");

    List<Span> spans = RayProgram.joined(where);
    assertThat(spans)
        .extracting(Span::name)
        .containsExactlyInAnyOrder(
            "Calls.Actor.<init> ray.remote_worker",
            "Calls.Actor.plain ray.remote_worker",
            "Calls.Actor.none ray.remote_worker",
            "Calls.Actor.worker ray.remote_worker",
            "worker.worker",
            "prefetch",
            "exec",
            "to_remote",
            "Calls.Actor.json ray.remote_worker",
            "worker.payload",
            "Calls.Actor.viaPython ray.remote_worker",
            "py_calls.twice ray.remote",
            "Calls.seven ray.remote_worker");
    assertThat(spans)
        .filteredOn(span -> span.name().equals("worker.payload"))
        .allMatch(span -> span.traceId().equals("ab".repeat(16)))
        .allMatch(span -> span.parentSpanId().equals("00f067aa0ba902b7"));
  }

  /** The driver of py_calls.py, traced by the package or a stranger to it. */
  private void pythonDriver(Path where, boolean traced, String hook) throws Exception {
    List<String> options = new ArrayList<>(RayProgram.OPENS);
    options.add("-javaagent:" + ProgramRun.AGENT);
    Map<String, String> tracing =
        Map.of(
            "ROLL_OTEL_ENABLED", "1",
            "ROLL_OTEL_OUTPUT_DIR", where.resolve("output/otlp").toString(),
            "ROLL_OTEL_ROLE", "worker",
            "ROLL_OTEL_RUN_ID", "python");
    Map<String, Object> arguments = new LinkedHashMap<>();
    // With a hook of Ray's the driver starts a cluster of its own, in a folder of a short name.
    arguments.put(
        "address",
        hook.isEmpty() ? cluster.address() : Files.createTempDirectory("ray").toString());
    arguments.put("hook", hook);
    arguments.put("code_search_path", calls.searchPath());
    arguments.put("jvm_options", options);
    arguments.put("environment", tracing);
    arguments.put("package", traced ? PACKAGE.resolve("src").toString() : "");
    String script =
        ProgramRun.ROOT.resolve("integration-tests/src/test/python/py_calls.py").toString();
    String out =
        python(where, traced ? tracing : Map.of(), List.of("-B", script, Json.text(arguments)));
    assertThat(out.lines())
        .contains("plain: 11", "none: 10", "worker: 13", "json: 1", "viaPython: 8", "seven: 7")
        .contains("python: 42", "nested: 10");
    // No collector: each process's own file. Workers' spans come a moment after the driver's end.
    RayProgram.awaitSpans(where.resolve("output/otlp"), traced ? 30 : 13);
  }

  /** The settings with which a Java driver has its job's Python workers traced. */
  private static List<String> withPackage() {
    String variables = "-Dray.job.runtime-env.env-vars.";
    return List.of(
        variables + "PYTHONPATH=" + PACKAGE.resolve("src"),
        variables + "PYTHONDONTWRITEBYTECODE=1",
        variables + "__RAY_WORKER_PROCESS_SETUP_HOOK_ENV_VAR=roll_otel_ray.setup");
  }

  /** What Python printed. */
  private static String python(Path folder, Map<String, String> environment, List<String> arguments)
      throws Exception {
    List<String> command = new ArrayList<>(List.of(cluster.python().toString()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    RayCluster.clean(builder);
    builder.environment().putAll(environment);
    return Finished.of(builder).isWell().out();
  }

  private static void hasAnswersOfPython(Result result) {
    assertThat(result.lines())
        .as(result.err())
        .contains("python: 42", "pythonNone: 3", "pythonActor: 11", "pythonNested: 10")
        .contains("pythonAtOnce: " + (999_000 + 49_500 + 300));
    assertThat(result.lines()).anyMatch(line -> line.startsWith("pythonFails: "));
  }

  private static void hasTree(List<Span> spans, String root, String... expected) {
    List<Span> roots = spans.stream().filter(span -> span.name().equals(root)).toList();
    assertThat(roots).as(root).hasSize(1);
    List<String> inside = new ArrayList<>();
    RayProgram.tree(roots.get(0), spans, ">", inside);
    assertThat(inside).containsExactly(String.join(";", expected).split(";"));
  }

  private static void everyParentIsThere(List<Span> spans) throws IOException {
    Set<String> ids = spans.stream().map(s -> s.traceId() + s.spanId()).collect(Collectors.toSet());
    assertThat(spans)
        .filteredOn(span -> !span.parentSpanId().isEmpty())
        .allMatch(span -> ids.contains(span.traceId() + span.parentSpanId()));
    assertThat(spans)
        .filteredOn(span -> span.kind() == 5)
        .noneMatch(span -> span.parentSpanId().isEmpty());
  }

  /** Also of the asynchronous actor that is called a thousand times at once. */
  private static void everyExecutionIsOfItsOwnCall(List<Span> spans, int ofSchedulers) {
    Map<String, Span> ids =
        spans.stream()
            .collect(Collectors.toMap(s -> s.traceId() + s.spanId(), s -> s, (a, b) -> a));
    assertThat(spans)
        .filteredOn(span -> span.kind() == 5 && span.name().startsWith("Scheduler."))
        .hasSizeGreaterThanOrEqualTo(ofSchedulers)
        .allSatisfy(
            span -> {
              Span call = ids.get(span.traceId() + span.parentSpanId());
              assertThat(call.name() + "_worker").isEqualTo(span.name());
              if (RayProgram.exported(List.of(call, span)).size() == 2) {
                assertThat(call.attributes().get("ray.task_id"))
                    .isEqualTo(span.attributes().get("ray.task_id"));
              }
            });
  }

  private void hasItsSendersIds(Span execution) {
    assertThat(execution.attributes())
        .containsKeys("ray.task_id", "ray.worker_id", "ray.function", "ray.remote")
        .containsKeys("ray.job_id", "ray.node_id", "ray.pid");
  }

  private static String call(String name, String failed) {
    return "> " + name + " ray.remote;>> " + name + " ray.remote_worker" + failed;
  }
}
