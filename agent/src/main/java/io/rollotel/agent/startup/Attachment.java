package io.rollotel.agent.startup;

import io.rollotel.agent.command.AttachProtocol;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.settings.Exporter;
import io.rollotel.agent.settings.Settings;
import io.rollotel.traces.file.FileNames;
import java.io.File;
import java.lang.instrument.Instrumentation;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Handles requests of {@code attach} in a running JVM. The requester reads the answer as a system
 * property of this JVM: see {@link AttachProtocol}.
 */
final class Attachment {

  /** An answer is for people to read. */
  private static final int MOST_WARNINGS = 20;

  private static final Pattern RAW_PERCENT = Pattern.compile("%(?![0-9A-Fa-f]{2})");

  private final Instrumentation instrumentation;
  private @Nullable RunningAgent running;

  /**
   * One request.
   *
   * @param running the current tracing; null if it is off
   */
  Attachment(Instrumentation instrumentation, @Nullable RunningAgent running) {
    this.instrumentation = instrumentation;
    this.running = running;
  }

  /**
   * Carries out the request and answers it; never throws.
   *
   * @param arguments {@link AttachProtocol#DETACH}, {@link AttachProtocol#DOCTOR}, or settings as
   *     {@code -javaagent} takes them, in which {@code %2C} stands for a comma that separates
   *     nothing
   * @return the tracing afterwards; null if it is off
   */
  @Nullable RunningAgent run(@Nullable String arguments) {
    ConcurrentLinkedQueue<String> warnings = new ConcurrentLinkedQueue<>();
    AgentLog.listen(
        line -> {
          if (warnings.size() < MOST_WARNINGS) {
            warnings.add(line);
          }
        });
    String answer;
    try {
      answer = AttachProtocol.DONE + "\n" + answer(arguments);
    } catch (Throwable t) {
      if (!AttachProtocol.DOCTOR.equals(arguments)) {
        try {
          detach();
        } catch (Throwable second) {
          t.addSuppressed(second);
        }
      }
      String line = failure(arguments) + t;
      answer = AttachProtocol.FAILED + "\n" + line;
      AgentLog.warn(line);
      warnings.clear();
    } finally {
      AgentLog.listen(null);
    }
    System.setProperty(
        AttachProtocol.ANSWER,
        answer + (warnings.isEmpty() ? "" : "\n" + String.join("\n", warnings)));
    return running;
  }

  /** The start of the error line: what failed, and what that means. */
  private static String failure(@Nullable String arguments) {
    if (AttachProtocol.DETACH.equals(arguments)) {
      return "tracing is off, but not all of the agent could be removed: ";
    }
    return AttachProtocol.DOCTOR.equals(arguments)
        ? "the agent cannot say what it has woven: "
        : "the agent could not be attached, the program runs without it: ";
  }

  private String answer(@Nullable String arguments) {
    if (AttachProtocol.DETACH.equals(arguments)) {
      return detach();
    }
    return AttachProtocol.DOCTOR.equals(arguments) ? statement() : attach(arguments);
  }

  /** What was declared, woven and called so far, a line each. */
  private String statement() {
    if (running == null) {
      return "tracing is not on";
    }
    List<String> lines = new ArrayList<>(running.statement());
    lines.addAll(running.methods().undeclared());
    running.methods().notLoaded().ifPresent(lines::add);
    lines.add("traces go to " + running.destination());
    return String.join("\n", lines);
  }

  private String attach(@Nullable String arguments) {
    if (running != null) {
      return "tracing was on already, its settings stay as they are; traces go to "
          + running.destination();
    }
    Settings settings = Settings.attached(decoded(arguments), System.getenv());
    settings.complaints().forEach(AgentLog::warn);
    if (!settings.enabled()) {
      return "tracing stays off: the settings say enabled=false";
    }
    if (settings.sdkDisabled()) {
      return "tracing stays off: OTEL_SDK_DISABLED is true";
    }
    String refusal = FileNames.refusal(new File(settings.outputDir()));
    if (refusal != null) {
      return "tracing stays off: the output directory " + refusal;
    }
    RunningAgent begun = RunningAgent.begin(settings, instrumentation);
    running = begun;
    int woven =
        begun.weaveLoaded(
            new LoadedClasses(instrumentation)
                .thatConcern(begun, instrumentation.getAllLoadedClasses()));
    warnIfNotWritable(settings);
    return "tracing is on: "
        + woven
        + (woven == 1 ? " loaded class" : " loaded classes")
        + " woven, others as they are loaded; traces go to "
        + begun.destination();
  }

  /**
   * Whoever attaches may have other rights than this process, and does not see what it says when it
   * writes for the first time.
   */
  private static void warnIfNotWritable(Settings settings) {
    boolean isSent = settings.exporter() != Exporter.FILE && settings.endpointGiven("traces");
    if (isSent || "none".equals(settings.otel("otel.traces.exporter"))) {
      return;
    }
    File directory = new File(settings.outputDir()).getAbsoluteFile();
    File there = directory;
    while (there != null && !there.exists()) {
      there = there.getParentFile();
    }
    if (there != null && !(there.isDirectory() && there.canWrite())) {
      AgentLog.warn(
          "this process cannot write in "
              + directory
              + ": detach, and attach with output.dir=DIR of a directory that its user may write");
    }
  }

  private String detach() {
    RunningAgent ending = running;
    if (ending == null) {
      return "tracing was not on";
    }
    running = null; // also if it does not end cleanly, because it does not continue
    int restored = ending.end();
    return "tracing is off: "
        + restored
        + (restored == 1 ? " class is restored" : " classes are restored")
        + ", recorded spans are written";
  }

  /**
   * Decodes arguments as {@code attach} encodes them. A percent sign that encodes nothing is kept.
   */
  private static List<String> decoded(@Nullable String arguments) {
    List<String> decoded = new ArrayList<>();
    for (String argument : (arguments == null ? "" : arguments).split(",", -1)) {
      String encoded = RAW_PERCENT.matcher(argument.replace("+", "%2B")).replaceAll("%25");
      decoded.add(
          argument.contains("%") ? URLDecoder.decode(encoded, StandardCharsets.UTF_8) : argument);
    }
    return decoded;
  }
}
