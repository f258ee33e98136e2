package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.tools.attach.VirtualMachine;
import io.rollotel.it.kit.ClassBytesObserver;
import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.Javac;
import io.rollotel.it.kit.Launched;
import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.Methods;
import io.rollotel.it.kit.Patience;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands {@code attach} and {@code detach} of the shipped jar, on JVMs that run. */
class AttachIT {

  /** Otherwise JDK 21 and later print a warning of four lines into the program's output. */
  private static final String WORKER = AttachedGlobalWorker.class.getName();

  private static final String QUIET = "-XX:+EnableDynamicAgentLoading";

  private static final String LISTED = "methods=" + AttachedWorker.class.getName() + "[listed,x*]";

  private static final String NEWEST = System.getProperty("opentelemetry.newest");

  private static final String GLOBAL = "io.opentelemetry.api.GlobalOpenTelemetry";

  private @TempDir Path directory;

  @Test
  void attach_tracesClassesThatAreLoadedAlready() throws Exception {
    try (LiveProgram program = worker().start()) {
      program.await("= ready");
      Answer attached = command("attach", program.pid(), "output.dir=traced", LISTED);

      assertThat(attached.out())
          .isEqualTo(
              program.pid()
                  + ": tracing is on: 3 loaded classes woven, others as they are loaded; traces go"
                  + " to "
                  + directory.resolve("traced")
                  + "\n");
      assertThat(attached.exitCode()).isZero();
      String before = program.ask("call");
      assertThat(program.ask("call")).isEqualTo(before);
      assertThat(command("detach", program.pid()).exitCode()).isZero();
      program.ask("call");
      program.end();
    }

    assertThat(Result.spans(directory.resolve("traced")))
        .as("the hidden class is traced by nobody")
        .extracting(Span::name)
        .containsExactlyInAnyOrder(
            "worker.train",
            "worker.play",
            "worker.score",
            "worker.listed",
            "worker.train",
            "worker.play",
            "worker.score",
            "worker.listed");
    assertThat(Result.spans(directory.resolve("traced")))
        .allMatch(span -> span.parentSpanId().equals(Payload.SPAN_ID));
    assertThat(directory.resolve("output")).doesNotExist();
  }

  @Tag("campaign")
  @Test
  void profileGivenToAttach_isRecordedUntilDetach() throws Exception {
    Path profiles = directory.resolve("output/otlp/profiles");
    try (LiveProgram program = worker().start()) {
      program.await("= ready");
      assertThat(command("attach", program.pid(), "profile=on").exitCode()).isZero();
      program.ask("call");
      Patience.until(() -> "recorded", () -> Files.isDirectory(profiles));
      program.ask("call");
      assertThat(command("detach", program.pid()).exitCode()).isZero();
      try (Stream<Path> recordings = Files.list(profiles)) {
        assertThat(RecordingFile.readAllEvents(recordings.findFirst().orElseThrow())).isNotEmpty();
      }
      program.end();
    }
    assertThat(Result.spans(directory.resolve("output/otlp")))
        .allMatch(span -> span.attributes().containsKey("thread.id"));
  }

  @Test
  void classThatCannotBeChanged_isOneLineAndCostsNoOther() throws Exception {
    Path fragile = fragile();
    try (LiveProgram program =
        ProgramRun.of(directory, AttachedWorker.class, fragile.toString())
            .withoutEnvironment("ROLL_OTEL_ENABLED")
            .withoutAgent()
            .jvmOptions(QUIET)
            .start()) {
      program.await("= ready");
      Answer attached = command("attach", program.pid());

      assertThat(attached.out()).contains("3 loaded classes woven");
      assertThat(attached.err().lines())
          .hasSize(2)
          .anyMatch(line -> line.matches(".*AttachedWorker[$]Hidden/\\S+ is left unchanged: .*"))
          .anyMatch(
              line -> line.contains(" Fragile is left unchanged: this JVM does not change it"));
      program.ask("call");
      assertThat(program.end())
          .as(
              "the same is said there; and that the test's compiler ran no processor, by those JVMs"
                  + " that show the agent the class before they refuse to change it")
          .hasSizeBetween(2, 3)
          .anyMatch(line -> line.contains("AttachedWorker$Hidden"))
          .anyMatch(line -> line.startsWith("[roll-otel] Fragile is left unchanged: "))
          .allMatch(line -> line.startsWith("[roll-otel] "));
    }
    assertThat(Result.spans(directory.resolve("output/otlp"))).hasSize(3);
  }

  @Tag("campaign")
  @Test
  void detachOfAnAttachedAgent_leavesEachMethodAsItWas() throws Exception {
    try (LiveProgram program = globalWorker("none", NEWEST).start()) {
      program.await("= ready");
      command("attach", program.pid());
      List<Object> woven = methods(program);
      Answer detached = command("detach", program.pid());

      assertThat(detached.out()).contains("tracing is off: 2 classes are as they were");
      assertThat(detached.err()).isEmpty();
      assertThat(woven.get(0)).isNotEqualTo(original().get(0));
      assertThat(woven.get(1)).isNotEqualTo(original().get(1));
      assertThat(methods(program)).isEqualTo(original());
      command("attach", program.pid());
      assertThat(methods(program)).isEqualTo(woven);
      command("detach", program.pid());
      assertThat(methods(program)).isEqualTo(original());
      assertThat(program.end()).isEmpty();
    }
  }

  @Test
  void detachOfAnAgentOfTheCommandLine_leavesTheBytesOfTheClassFiles() throws Exception {
    try (LiveProgram program =
        globalWorker("none", NEWEST).withAgent().environment("ROLL_OTEL_ENABLED", "1").start()) {
      program.await("= ready");
      assertThat(bytes(program, GLOBAL)).isNotEqualTo(classFile(GLOBAL));
      assertThat(command("detach", program.pid()).out()).contains("tracing is off");
      assertThat(bytes(program, GLOBAL)).isEqualTo(classFile(GLOBAL));
      assertThat(bytes(program, WORKER)).isEqualTo(classFile(WORKER));
      assertThat(program.ask("call")).isEqualTo("1 injected []");
      int spans = Result.spans(directory.resolve("output/otlp")).size();
      command("attach", program.pid());
      program.ask("call");
      command("detach", program.pid());
      assertThat(Result.spans(directory.resolve("output/otlp"))).hasSize(spans + 2);
      assertThat(program.end()).isEmpty();
    }
  }

  @Tag("campaign")
  @Test
  void detach_flushesAndLeavesNoThreadAndNoClassOfTheSdk() throws Exception {
    try (LiveProgram program = worker().start()) {
      program.await("= ready");
      for (int i = 1; i <= 3; i++) {
        command("attach", program.pid());
        program.ask("call");
        assertThat(program.ask("threads")).contains("roll-otel-export");
        command("detach", program.pid());
        assertThat(Result.spans(directory.resolve("output/otlp"))).hasSize(3 * i);
      }
      awaitEqual("[]", program, () -> program.ask("threads"));
      awaitEqual(
          "0",
          program,
          () -> {
            program.ask("threads"); // collects garbage
            observe(program, null);
            return program.await("ours ");
          });
      assertThat(program.end()).isEmpty();
    }
  }

  /** Those through which the context follows work into other threads. */
  @ParameterizedTest
  @ValueSource(strings = {"java.lang.Thread", "java.util.concurrent.ForkJoinPool"})
  void detach_leavesTheJdksClassesAsTheyWere(String name) throws Exception {
    Object original = Methods.of(classFile(name));
    try (LiveProgram program = worker().start()) {
      program.await("= ready");
      command("attach", program.pid());
      program.ask("call");
      assertThat(Methods.of(bytes(program, name))).isNotEqualTo(original);
      command("detach", program.pid());
      assertThat(Methods.of(bytes(program, name))).isEqualTo(original);
      assertThat(program.end()).isEmpty();
    }
  }

  @Test
  void callThatRunsMeanwhile_endsAsIfNothingHadHappened() throws Exception {
    try (LiveProgram program = worker().start()) {
      program.await("= ready");
      program.ask("hold");
      command("attach", program.pid());
      assertThat(program.ask("release")).as("began before: no span").isEqualTo("1");
      program.ask("hold");
      command("detach", program.pid());
      assertThat(program.ask("release")).as("ends afterwards: no span").isEqualTo("1");
      command("attach", program.pid());
      program.ask("hold");
      assertThat(program.ask("release")).isEqualTo("1");
      assertThat(program.end()).isEmpty();
    }
    assertThat(Result.spans(directory.resolve("output/otlp")))
        .singleElement()
        .extracting(Span::name)
        .isEqualTo("worker.hold");
  }

  static Stream<String> versions() {
    return Stream.of(System.getProperty("opentelemetry.oldest"), NEWEST);
  }

  @Tag("campaign")
  @ParameterizedTest
  @MethodSource("versions")
  void global_isTheAgentsWhileItIsAttachedAlone(String version) throws Exception {
    try (LiveProgram program = globalWorker("none", version).start()) {
      program.await("= ready");
      assertThat(program.ask("kept")).as("asked before").isEqualTo("false");
      command("attach", program.pid());
      assertThat(program.ask("call")).isEqualTo("1 injected []");
      assertThat(program.ask("kept")).as("a no-op for good").isEqualTo("false");
      program.ask("keep");
      assertThat(program.ask("kept")).isEqualTo("true");
      command("detach", program.pid());
      assertThat(program.ask("kept")).isEqualTo("false");
      assertThat(program.ask("call")).isEqualTo("1 injected []");
      command("attach", program.pid());
      assertThat(program.ask("call")).isEqualTo("1 injected []");
      assertThat(program.end()).isEmpty();
    }
    List<Span> spans = Result.spans(directory.resolve("output/otlp"));
    assertThat(spans)
        .extracting(Span::name)
        .containsExactlyInAnyOrder(
            "worker.generate", "by hand", "kept", "worker.generate", "by hand");
    Map<String, Span> byId = spans.stream().collect(Collectors.toMap(Span::spanId, s -> s));
    assertThat(spans)
        .filteredOn(span -> span.name().equals("by hand"))
        .allMatch(span -> byId.get(span.parentSpanId()).name().equals("worker.generate"));
  }

  @Tag("campaign")
  @ParameterizedTest
  @MethodSource("versions")
  void ownSdkSetBefore_getsTheWorkerSpans(String version) throws Exception {
    try (LiveProgram program = globalWorker("own", version).start()) {
      program.await("= ready");
      command("attach", program.pid());
      program.ask("call");
      command("detach", program.pid());
      program.ask("call");
      assertThat(program.end()).isEmpty();
      assertThat(program.said())
          .filteredOn(line -> line.startsWith("exported"))
          .containsExactly(
              "exported by hand of " + Payload.TRACE_ID,
              "exported worker.generate of " + Payload.TRACE_ID);
    }
    assertThat(directory.resolve("output")).as("nothing of ours was started").doesNotExist();
  }

  @Test
  void whatIsSaidWhenAttaching_isStrongerThanTheEnvironment() throws Exception {
    try (LiveProgram program =
        worker()
            .environment("ROLL_OTEL_ENABLED", "0")
            .environment("ROLL_OTEL_OUTPUT_DIR", "never")
            .environment("ROLL_OTEL_INSTANCE", "worker-7")
            .environment("ROLL_OTEL_RUN_IDD", "x")
            .start()) {
      program.await("= ready");
      Answer attached =
          command(
              "attach",
              program.pid(),
              "OUTPUT_DIR=50%, größer",
              "otel.resource.attributes=team=rl,tier=2");
      assertThat(attached.err())
          .isEqualTo(
              program.pid()
                  + ": unknown setting ROLL_OTEL_RUN_IDD; the nearest known one is"
                  + " ROLL_OTEL_RUN_ID\n");
      program.ask("call");
      command("detach", program.pid());
    }
    assertThat(Result.spans(directory.resolve("50%, größer")))
        .hasSize(3)
        .allSatisfy(
            span ->
                assertThat(span.resource().attributes())
                    .containsEntry("service.instance.id", "worker-7")
                    .containsEntry("team", "rl")
                    .containsEntry("tier", "2"));
    assertThat(directory.resolve("never")).doesNotExist();
  }

  @Test
  void commandThatHasNothingToDo_saysSo() throws Exception {
    try (LiveProgram program = worker().start()) {
      program.await("= ready");
      assertThat(command("detach", program.pid()))
          .isEqualTo(new Answer(0, program.pid() + ": tracing was not on\n", ""));
      command("attach", program.pid());
      assertThat(command("attach", program.pid(), "output.dir=elsewhere"))
          .isEqualTo(
              new Answer(
                  0,
                  program.pid()
                      + ": tracing was on already, its settings stay as they are; traces go to "
                      + directory.resolve("output/otlp")
                      + "\n",
                  ""));
    }
  }

  @Test
  void list_showsWhichJvmsAreTraced() throws Exception {
    try (LiveProgram one = worker().start();
        LiveProgram other = worker().start()) {
      one.await("= ready");
      other.await("= ready");
      command("attach", other.pid());
      for (String[] arguments : new String[][] {{"attach"}, {"attach", "--list"}}) {
        assertThat(command(arguments).out().lines())
            .anyMatch(line -> line.matches(" *" + one.pid() + "  off +io.rollotel.*Worker"))
            .anyMatch(line -> line.matches(" *" + other.pid() + "  on +io.rollotel.*Worker"));
      }
    }
  }

  /** For each attempt the JDK creates a file there, and cannot delete it once the JVM has ended. */
  @EnabledOnOs(OS.LINUX)
  @ParameterizedTest
  @CsvSource({"--list, false", "--list, true", "of it, true"})
  void stoppedJvm_keepsNoFileInItsWorkingDirectory(String which, boolean isKilled)
      throws Exception {
    try (LiveProgram program = worker().start()) {
      program.await("= ready");
      Path file =
          Path.of("/proc", program.pid(), "cwd")
              .toRealPath()
              .resolve(".attach_pid" + program.pid());
      signal("STOP", program);
      Launched command = launch("attach", which.equals("--list") ? which : program.pid());
      if (isKilled) {
        Patience.until(() -> file + " is there", () -> Files.exists(file));
        signal("KILL", program);
      }
      Finished left = command.finish();
      assertThat(left.out() + left.err()).contains(program.pid()).doesNotContain("\tat ");
      assertThat(file).doesNotExist();
    }
  }

  private static void signal(String name, LiveProgram program) throws Exception {
    Finished.of(new ProcessBuilder("kill", "-" + name, program.pid())).isWell();
  }

  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({
    "bogus=1, unknown agent argument bogus",
    "role=boss, 'ROLL_OTEL_ROLE=boss is not understood; it takes auto, driver, worker'",
    "methods=x, 'ROLL_OTEL_METHODS: x is not understood'",
    "enabled=false, attach with enabled=false; see detach",
    "output.dir, output.dir is not a setting; write key=value",
  })
  void wrongSetting_isSaidBeforeTheJvmIsTouched(String setting, String text) throws Exception {
    try (LiveProgram program = worker().start()) {
      program.await("= ready");
      Answer answer = command("attach", program.pid(), setting);
      assertThat(answer.exitCode()).isEqualTo(2);
      assertThat(answer.err()).contains(text).doesNotContain("\tat ");
      observe(program, null);
      assertThat(program.await("ours ")).isEqualTo("0");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "-XX:+DisableAttachMechanism, was started with -XX:+DisableAttachMechanism",
    "-XX:-EnableDynamicAgentLoading, was started with -XX:-EnableDynamicAgentLoading",
  })
  void jvmThatForbidsIt_isNamedWithItsReason(String option, String reason) throws Exception {
    try (LiveProgram program = worker().jvmOptions(option).start()) {
      program.await("= ready");
      Answer answer = command("attach", program.pid());
      assertThat(answer.err()).startsWith(program.pid() + " " + reason);
      assertThat(answer.err().lines()).hasSize(1);
      assertThat(answer.exitCode()).isEqualTo(1);
      assertThat(program.ask("threads")).isEqualTo("[]");
    }
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void processThatIsNoJvm_isNamedAndLivesOn(boolean itsNumberWasThatOfAJvm) throws Exception {
    Process other = new ProcessBuilder("sleep", "300").start();
    Path socket = Path.of("/tmp/.java_pid" + other.pid());
    Files.deleteIfExists(socket); // of a killed JVM of an earlier test
    try {
      if (itsNumberWasThatOfAJvm) {
        ServerSocketChannel.open(StandardProtocolFamily.UNIX)
            .bind(UnixDomainSocketAddress.of(socket))
            .close(); // which leaves the file
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
      }
      for (String what : List.of("attach", "detach")) {
        Answer answer = command(what, Long.toString(other.pid()));
        assertThat(answer.err()).startsWith(other.pid() + " is not a JVM");
        assertThat(answer.exitCode()).isEqualTo(1);
      }
      assertThat(other.isAlive()).isTrue();
    } finally {
      other.destroyForcibly().waitFor();
      Files.deleteIfExists(socket);
    }
    for (String what : List.of("attach", "detach")) {
      assertThat(command(what, Long.toString(other.pid())))
          .isEqualTo(new Answer(1, "", "There is no process " + other.pid() + ".\n"));
      assertThat(command(what, "me").exitCode()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"attach 1", "detach 1", "attach"})
  void javaWithoutTheAttachModule_saysSo(String arguments) throws Exception {
    Answer answer = command(List.of("--limit-modules", "java.se"), arguments.split(" "));
    assertThat(answer.exitCode()).isEqualTo(1);
    assertThat(answer.err()).startsWith("This Java cannot attach to others").hasLineCount(1);
  }

  @Tag("campaign")
  @Test
  void demoWorkerInTheMiddleOfARun_isTracedBelowTheDriversSpans() throws Exception {
    Path traces = directory.resolve("otlp");
    ProgramRun run =
        ProgramRun.of(directory, Object.class)
            .environment("ROLL_OTEL_OUTPUT_DIR", traces.toString())
            .jar(
                ProgramRun.ROOT.resolve("examples/target/roll-otel-examples.jar"),
                "--steps",
                "80",
                "--workers",
                "2");
    try (LiveProgram driver = run.start()) {
      driver.await("step   5/80");
      String pid = Long.toString(oneOf(driver.handle().children()).pid());
      assertThat(command("attach", pid).out()).contains("1 loaded class woven").contains("otlp");
      // Not by the steps, since their number depends on how fast the machine starts a command.
      Path file = traces.resolve("traces/traces.jsonl");
      awaitEqual(
          "true",
          driver,
          () -> String.valueOf(Files.readString(file).split("\"worker[.]").length > 20));
      assertThat(command("detach", pid).out()).contains("tracing is off");
      driver.await("mean return: first ");
      driver.end();

      List<Span> spans = Result.spans(traces);
      Map<String, Span> byId =
          spans.stream().collect(Collectors.toMap(Span::spanId, Function.identity()));
      List<Span> workers =
          spans.stream().filter(span -> span.name().startsWith("worker.")).toList();
      assertThat(workers)
          .as("those of some steps, not of all")
          .hasSizeBetween(20, 4 * 80 - 20)
          .allMatch(
              span -> span.resource().attributes().get("process.pid").equals(Long.valueOf(pid)))
          .allMatch(
              span ->
                  !byId.get(span.parentSpanId())
                      .resource()
                      .attributes()
                      .get("process.pid")
                      .equals(Long.valueOf(pid)));
      assertThat(workers)
          .extracting(span -> byId.get(span.parentSpanId()).name())
          .contains("rollout", "compute_rewards", "train", "model_update");
    }
  }

  private static ProcessHandle oneOf(Stream<ProcessHandle> handles) {
    return handles.findFirst().orElseThrow();
  }

  /** A worker that nobody traces yet. */
  private ProgramRun worker() {
    return ProgramRun.of(directory, AttachedWorker.class)
        .withoutEnvironment("ROLL_OTEL_ENABLED")
        .withoutAgent()
        .jvmOptions(QUIET);
  }

  /** One with OpenTelemetry on its class path. */
  private ProgramRun globalWorker(String sdk, String version) throws IOException {
    return ProgramRun.of(directory, AttachedGlobalWorker.class, sdk)
        .withoutEnvironment("ROLL_OTEL_ENABLED")
        .openTelemetry(version, true)
        .telemetry()
        .withoutAgent()
        .jvmOptions(QUIET);
  }

  /** A class that is loaded but cannot be linked, since another is missing by then. */
  private Path fragile() throws Exception {
    Path source =
        Files.writeString(
            directory.resolve("Fragile.java"),
            """
            public class Fragile {
              @io.rollotel.annotations.Register(trace = true)
              static Fragile make() { return new Missing(); }
            }
            class Missing extends Fragile {}
            """);
    Path folder = Javac.compile(17, directory.resolve("fragile"), source);
    Files.delete(folder.resolve("Missing.class"));
    return folder;
  }

  /** Hashes of the worker's class and of GlobalOpenTelemetry. */
  private List<Object> methods(LiveProgram program) throws Exception {
    return List.of(Methods.of(bytes(program, WORKER)), Methods.of(bytes(program, GLOBAL)));
  }

  private static List<Object> original() throws IOException {
    return List.of(Methods.of(classFile(WORKER)), Methods.of(classFile(GLOBAL)));
  }

  /** The class as the JVM has it now. */
  private byte[] bytes(LiveProgram program, String name) throws Exception {
    observe(program, name);
    return Base64.getDecoder().decode(program.await("bytes "));
  }

  private static byte[] classFile(String name) throws IOException {
    String entry = name.replace('.', '/') + ".class";
    if (!name.equals(GLOBAL)) {
      return ClassLoader.getSystemResourceAsStream(entry).readAllBytes();
    }
    Path api =
        ProgramRun.openTelemetryJars(NEWEST, false).stream()
            .filter(jar -> jar.getFileName().toString().startsWith("opentelemetry-api-"))
            .findFirst()
            .orElseThrow();
    try (JarFile jar = new JarFile(api.toFile())) {
      return jar.getInputStream(jar.getEntry(entry)).readAllBytes();
    }
  }

  /** Attaches the other agent, which is then the last to see a class. */
  private void observe(LiveProgram program, String argument) throws Exception {
    Path jar = directory.resolve("observer.jar");
    if (!Files.exists(jar)) {
      ClassBytesObserver.jar(directory);
    }
    VirtualMachine machine = VirtualMachine.attach(program.pid());
    try {
      machine.loadAgent(jar.toString(), argument);
    } finally {
      machine.detach();
    }
  }

  private interface Asked {
    String get() throws Exception;
  }

  private static void awaitEqual(String wanted, LiveProgram program, Asked asked) throws Exception {
    AtomicReference<String> answer = new AtomicReference<>();
    Patience.until(
        () -> "it answers " + wanted + ", not " + answer,
        program.handle(),
        () -> {
          answer.set(asked.get());
          return answer.get().equals(wanted);
        });
  }

  /** What a command said. */
  private record Answer(int exitCode, String out, String err) {}

  private Answer command(String... arguments) throws IOException, InterruptedException {
    return command(List.of(), arguments);
  }

  private Answer command(List<String> jvmOptions, String... arguments)
      throws IOException, InterruptedException {
    Finished left = launch(jvmOptions, arguments).finish();
    return new Answer(left.exitCode(), left.out(), left.err());
  }

  private Launched launch(String... arguments) throws IOException {
    return launch(List.of(), arguments);
  }

  private Launched launch(List<String> jvmOptions, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(Finished.jdk("java"), "-Xmx256m"));
    command.addAll(jvmOptions);
    command.addAll(List.of("-jar", ProgramRun.AGENT.toString()));
    command.addAll(Arrays.asList(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    return Launched.of(Launched.clean(builder));
  }
}
