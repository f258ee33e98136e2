package io.rollotel.it;

import com.sun.tools.attach.VirtualMachine;
import io.rollotel.it.kit.ClassBytesObserver;
import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.Javac;
import io.rollotel.it.kit.Launched;
import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.Methods;
import io.rollotel.it.kit.Patience;
import io.rollotel.it.kit.ProgramRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** Programs that run without the agent, until a command attaches it. */
abstract class AttachFixture {

  /** Otherwise JDK 21 and later print a warning of four lines into the program's output. */
  static final String WORKER = AttachedGlobalWorker.class.getName();

  static final String LISTED = "methods=" + AttachedWorker.class.getName() + "[listed,x*]";

  static final String QUIET = "-XX:+EnableDynamicAgentLoading";

  static final String NEWEST = System.getProperty("opentelemetry.newest");

  static final String GLOBAL = "io.opentelemetry.api.GlobalOpenTelemetry";

  @TempDir Path directory;

  static void signal(String name, LiveProgram program) throws Exception {
    Finished.of(new ProcessBuilder("kill", "-" + name, program.pid())).isWell();
  }

  static ProcessHandle oneOf(Stream<ProcessHandle> handles) {
    return handles.findFirst().orElseThrow();
  }

  /** A worker that nobody traces yet. */
  ProgramRun worker() {
    return ProgramRun.of(directory, AttachedWorker.class)
        .withoutEnvironment("ROLL_OTEL_ENABLED")
        .withoutAgent()
        .jvmOptions(QUIET);
  }

  /** One with OpenTelemetry on its class path. */
  ProgramRun globalWorker(String sdk, String version) throws IOException {
    return ProgramRun.of(directory, AttachedGlobalWorker.class, sdk)
        .withoutEnvironment("ROLL_OTEL_ENABLED")
        .openTelemetry(version, true)
        .telemetry()
        .withoutAgent()
        .jvmOptions(QUIET);
  }

  /** A class that is loaded but cannot be linked, since another is missing by then. */
  Path fragile() throws Exception {
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
  List<Object> methods(LiveProgram program) throws Exception {
    return List.of(Methods.of(bytes(program, WORKER)), Methods.of(bytes(program, GLOBAL)));
  }

  static List<Object> original() throws IOException {
    return List.of(Methods.of(classFile(WORKER)), Methods.of(classFile(GLOBAL)));
  }

  /** The class as the JVM has it now. */
  byte[] bytes(LiveProgram program, String name) throws Exception {
    observe(program, name);
    return Base64.getDecoder().decode(program.await("bytes "));
  }

  static byte[] classFile(String name) throws IOException {
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
  void observe(LiveProgram program, String argument) throws Exception {
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

  interface Asked {
    String get() throws Exception;
  }

  static void awaitEqual(String wanted, LiveProgram program, Asked asked) throws Exception {
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
  record Answer(int exitCode, String out, String err) {}

  Answer command(String... arguments) throws IOException, InterruptedException {
    return command(List.of(), arguments);
  }

  Answer command(List<String> jvmOptions, String... arguments)
      throws IOException, InterruptedException {
    Finished left = launch(jvmOptions, arguments).finish();
    return new Answer(left.exitCode(), left.out(), left.err());
  }

  Launched launch(String... arguments) throws IOException {
    return launch(List.of(), arguments);
  }

  Launched launch(List<String> jvmOptions, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(Finished.jdk("java"), "-Xmx256m"));
    command.addAll(jvmOptions);
    command.addAll(List.of("-jar", ProgramRun.AGENT.toString()));
    command.addAll(Arrays.asList(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    return Launched.of(Launched.clean(builder));
  }
}
