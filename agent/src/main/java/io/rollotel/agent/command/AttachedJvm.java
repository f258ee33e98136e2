package io.rollotel.agent.command;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import com.sun.tools.attach.VirtualMachineDescriptor;
import io.rollotel.agent.Agent;
import io.rollotel.traces.cli.Main;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import net.bytebuddy.agent.ByteBuddyAgent;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** Another JVM of this host, as the JDK's attach mechanism shows it. */
final class AttachedJvm {

  /** Before JDK 24 an argument of the attach protocol may have this many characters. */
  private static final int LONGEST_ARGUMENT = 1024;

  /**
   * How long each listed JVM may take to answer whether it is traced; a stopped one never answers.
   */
  private static final long LIST_PATIENCE_SECONDS = 5;

  /** Shorter than our own: the JDK deletes its file at the end of an attempt. */
  private static final int LIST_ATTEMPT_MILLIS = 3_000;

  private final CommandLine command;
  private final long pid;

  AttachedJvm(CommandLine command, long pid) {
    this.command = command;
    this.pid = pid;
  }

  /**
   * Sends a request to the agent in that JVM, and prints its answer.
   *
   * @param arguments {@link AttachProtocol#DETACH}, {@link AttachProtocol#DOCTOR}, or settings as
   *     {@code -javaagent} takes them
   * @return the exit code: 0 also if there was nothing to do
   */
  int ask(String arguments) {
    try {
      String answer = answer(arguments);
      boolean done = answer.startsWith(AttachProtocol.DONE);
      String[] lines = answer.split("\n", -1);
      (done ? command.getOut() : command.getErr()).println(pid + ": " + lines[1]);
      // Warnings follow the answer, unless only the lines were requested.
      boolean asked = arguments.equals(AttachProtocol.DOCTOR);
      for (int i = 2; i < lines.length; i++) {
        (asked ? command.getOut() : command.getErr()).println(pid + ": " + lines[i]);
      }
      return done ? 0 : Main.FAILED;
    } catch (RefusedException e) {
      command.getErr().println(e.getMessage());
      return Main.FAILED;
    } finally {
      command.getOut().flush();
      command.getErr().flush();
    }
  }

  private String answer(String arguments) throws RefusedException {
    if (pid == ProcessHandle.current().pid()) {
      throw new RefusedException(called(pid) + " is this command itself.");
    }
    ProcessHandle process =
        ProcessHandle.of(pid)
            .orElseThrow(() -> new RefusedException("There is no process " + pid + "."));
    checkAttachable(process);
    String version = property("java.specification.version");
    if (Agent.isTooOld(version)) {
      throw new RefusedException(
          called(pid)
              + " runs on Java "
              + version
              + ": too old for tracing, 17 or newer is needed.");
    }
    if (property(AttachProtocol.TRACING).isEmpty()) {
      // The agent is not loaded into that JVM only to say so.
      if (arguments.equals(AttachProtocol.DETACH)) {
        return AttachProtocol.DONE + "\ntracing was not on";
      }
      if (arguments.equals(AttachProtocol.DOCTOR)) {
        return AttachProtocol.FAILED
            + "\ntracing is not on: was it started with -javaagent and ROLL_OTEL_ENABLED=1?"
            + " See attach, too";
      }
    }
    load(arguments);
    String answer = property(AttachProtocol.ANSWER);
    if (!answer.contains("\n")) {
      throw new RefusedException(
          called(pid)
              + " does not answer. Its stderr may say why. Was another version of the agent loaded"
              + " before?");
    }
    return answer;
  }

  /** Checks what is possible without the attach mechanism, which would wait for ten seconds. */
  private void checkAttachable(ProcessHandle process) throws RefusedException {
    String user = process.info().user().orElse("");
    String own = ProcessHandle.current().info().user().orElse("");
    if (!user.equals(own) && !user.isEmpty() && !own.equals("root")) {
      throw new RefusedException(called(pid) + " belongs to " + user + ", not to " + own + ".");
    }
    if (hasNoJvm(process.pid())) {
      throw new RefusedException(called(pid) + " is not a JVM.");
    }
    for (String argument : process.info().arguments().orElse(new String[0])) {
      if (argument.equals("-XX:+DisableAttachMechanism")) {
        throw new RefusedException(called(pid) + " was started with -XX:+DisableAttachMechanism.");
      }
    }
  }

  /** Whether the process has loaded no JVM, as far as Linux tells. */
  private static boolean hasNoJvm(long pid) {
    try (Stream<String> mapped = Files.lines(Path.of("/proc", Long.toString(pid), "maps"))) {
      List<String> files = mapped.filter(line -> line.contains("/")).toList();
      return !files.isEmpty() && files.stream().noneMatch(file -> file.contains("libjvm"));
    } catch (IOException | UncheckedIOException e) {
      return false; // unknown
    }
  }

  private void load(String arguments) throws RefusedException {
    File jar = AgentJar.file();
    try {
      ByteBuddyAgent.attach(jar, Long.toString(pid), arguments);
    } catch (IllegalStateException e) {
      throw refused(e, jar, jar.getPath().length() + 1 + arguments.length());
    }
  }

  private RefusedException refused(Throwable failure, File jar, int length) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String message = String.valueOf(cause.getMessage());
    if (message.contains("Dynamic agent loading is not enabled")) {
      return new RefusedException(
          called(pid)
              + " was started with -XX:-EnableDynamicAgentLoading: no agent can be loaded into it.");
    }
    if (length > LONGEST_ARGUMENT) {
      return new RefusedException(
          called(pid)
              + " does not take settings of this length ("
              + length
              + " characters with the jar's path; before JDK 24 both JVMs take "
              + LONGEST_ARGUMENT
              + "): "
              + message);
    }
    if (cause instanceof AgentLoadException || cause instanceof AgentInitializationException) {
      return new RefusedException(
          called(pid)
              + " cannot load "
              + jar
              + " ("
              + message
              + "): check that it can read this path and does not run in a container.");
    }
    return refused(pid, cause);
  }

  /** As a sentence begins. */
  private static String called(long pid) {
    return "Process " + pid;
  }

  /** Why the attach mechanism does not reach a process. */
  static RefusedException refused(long pid, Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    if (message.contains("Connection refused")) {
      // When a JVM starts, it deletes the file of an earlier process with the same process id.
      return new RefusedException(
          called(pid)
              + " is not a JVM. An earlier process with this number was one and was killed;"
              + " it has left the file .java_pid"
              + pid
              + " in the directory for temporary files, which can be deleted.");
    }
    return new RefusedException(
        called(pid)
            + (cause instanceof AttachNotSupportedException
                ? " is not a JVM, or does not allow agents to attach: "
                : " cannot be attached to: ")
            + message);
  }

  /** A system property of that JVM; empty if it is not set. */
  private String property(String name) throws RefusedException {
    try {
      return properties(Long.toString(pid)).getProperty(name, "");
    } catch (AttachNotSupportedException | IOException e) {
      throw refused(pid, e);
    }
  }

  /**
   * Attaches, and leaves nothing behind. For the time of its attempt, the JDK creates the file
   * {@code .attach_pid<pid>} in the working directory of that JVM. It reaches it through {@code
   * /proc}, so it cannot delete the file of a JVM that has ended meanwhile.
   */
  static VirtualMachine attach(String id) throws AttachNotSupportedException, IOException {
    @Nullable Path file = null;
    try {
      file = Path.of("/proc", id, "cwd").toRealPath().resolve(".attach_pid" + id);
    } catch (IOException e) {
      // Not on Linux, or the process has ended: nothing is left there.
    }
    try {
      return VirtualMachine.attach(id);
    } catch (AttachNotSupportedException | IOException e) {
      if (file != null && !Files.exists(Path.of("/proc", id, "cwd"))) {
        try {
          Files.deleteIfExists(file);
        } catch (IOException notOurs) {
          e.addSuppressed(notOurs);
        }
      }
      throw e;
    }
  }

  private static Properties properties(String id) throws AttachNotSupportedException, IOException {
    VirtualMachine machine = attach(id);
    try {
      return machine.getSystemProperties();
    } finally {
      machine.detach();
    }
  }

  /** Prints the JVMs that this user may attach to; asks each of them whether it is traced. */
  static int list(CommandLine command) {
    System.setProperty("sun.tools.attach.attachTimeout", Integer.toString(LIST_ATTEMPT_MILLIS));
    String own = Long.toString(ProcessHandle.current().pid());
    List<VirtualMachineDescriptor> others =
        VirtualMachine.list().stream().filter(jvm -> !jvm.id().equals(own)).toList();
    List<CompletableFuture<String>> states =
        others.stream()
            .map(
                jvm ->
                    CompletableFuture.supplyAsync(() -> state(jvm.id()), AttachedJvm::onDaemon)
                        .completeOnTimeout("no answer", LIST_PATIENCE_SECONDS, TimeUnit.SECONDS))
            .toList();
    command.getOut().printf("%8s  %-9s  %s%n", "pid", "roll-otel", "main class");
    for (int i = 0; i < others.size(); i++) {
      // The arguments behind it may hold secrets.
      String main = others.get(i).displayName().split(" ", 2)[0];
      command.getOut().printf("%8s  %-9s  %s%n", others.get(i).id(), states.get(i).join(), main);
    }
    command.getOut().flush();
    return 0;
  }

  private static void onDaemon(Runnable task) {
    Thread thread = new Thread(task, "roll-otel-list");
    thread.setDaemon(true);
    thread.start();
  }

  private static String state(String id) {
    try {
      @Nullable String directory = properties(id).getProperty(AttachProtocol.TRACING);
      return directory == null ? "off" : "on";
    } catch (AttachNotSupportedException | IOException | RuntimeException e) {
      return "no answer";
    }
  }
}
