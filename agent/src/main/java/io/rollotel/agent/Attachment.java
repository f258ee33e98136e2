package io.rollotel.agent;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the agent does in a JVM that runs already, and the answer to whoever asked for it from
 * outside, who reads it as a system property of this JVM.
 */
public final class Attachment {

  /** The one argument that ends tracing. */
  public static final String DETACH = "detach";

  /** The one argument that asks for the account. */
  public static final String DOCTOR = "doctor";

  /** The system property of the answer: {@link #DONE} or {@link #FAILED}, then lines of text. */
  public static final String ANSWER = "io.rollotel.agent.answer";

  /** The system property that is there while tracing is on: the output directory. */
  public static final String TRACING = Startup.TRACING;

  public static final String DONE = "done";
  public static final String FAILED = "failed";

  /** An answer is for people to read. */
  private static final int MOST_WARNINGS = 20;

  private Attachment() {}

  /**
   * Does what the arguments say, and answers; never throws.
   *
   * @param arguments {@link #DETACH}, {@link #DOCTOR}, or settings as {@code -javaagent} takes
   *     them, in which {@code %2C} stands for a comma that separates nothing
   */
  static void run(@Nullable String arguments, Instrumentation instrumentation) {
    ConcurrentLinkedQueue<String> warnings = new ConcurrentLinkedQueue<>();
    AgentLog.listen(
        line -> {
          if (warnings.size() < MOST_WARNINGS) {
            warnings.add(line);
          }
        });
    String answer;
    try {
      answer = DONE + "\n" + answer(arguments, instrumentation);
    } catch (Throwable t) {
      if (!DOCTOR.equals(arguments)) {
        Startup.end();
      }
      answer = FAILED + "\nthe agent could not start: " + t;
      AgentLog.warn("the agent could not be attached, the program runs without it: " + t);
      warnings.clear();
    } finally {
      AgentLog.listen(null);
    }
    System.setProperty(
        ANSWER, answer + (warnings.isEmpty() ? "" : "\n" + String.join("\n", warnings)));
  }

  private static String answer(@Nullable String arguments, Instrumentation instrumentation)
      throws IOException {
    if (DETACH.equals(arguments)) {
      return detach();
    }
    return DOCTOR.equals(arguments) ? account() : attach(arguments, instrumentation);
  }

  /** The account so far, a line each. */
  private static String account() {
    Startup.Running running = Startup.running();
    if (running == null) {
      return "tracing is not on";
    }
    List<String> lines =
        new ArrayList<>(
            new LastWords(running.settings(), running.inner(), running.account()).statement());
    for (String entry : running.settings().methods().unmatched()) {
      lines.add("ROLL_OTEL_METHODS: " + entry + " has matched no method so far");
    }
    lines.add("traces go to " + running.directory());
    return String.join("\n", lines);
  }

  private static String attach(@Nullable String arguments, Instrumentation instrumentation)
      throws IOException {
    Startup.Running before = Startup.running();
    if (before != null) {
      return "tracing was on already, its settings stay as they are; traces go to "
          + before.directory();
    }
    Settings settings = Settings.attached(decoded(arguments), System.getenv());
    settings.check();
    settings.complaints().forEach(AgentLog::warn);
    if (!settings.enabled()) {
      return "tracing stays off: the settings say enabled=false";
    }
    Startup.Running running = Startup.begin(settings, instrumentation);
    List<Class<?>> loaded = concerned(running, instrumentation);
    running.changes().retransform(loaded);
    loaded.forEach(running.copies()::attached);
    int woven = running.changes().changed().size();
    return "tracing is on: "
        + woven
        + (woven == 1 ? " loaded class" : " loaded classes")
        + " woven, others as they are loaded; traces go to "
        + running.directory();
  }

  private static String detach() {
    int restored = Startup.end();
    return restored < 0
        ? "tracing was not on"
        : "tracing is off: "
            + restored
            + (restored == 1 ? " class is as it was" : " classes are as they were")
            + ", what was recorded is written";
  }

  /** Those of the loaded classes that would have been looked at while they were loaded. */
  private static List<Class<?>> concerned(
      Startup.Running running, Instrumentation instrumentation) {
    Predicate<Class<?>> mentionsAnnotation = constantPools(running, instrumentation);
    List<Class<?>> concerned = new ArrayList<>();
    for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
      if (running.annotated().concerns(loaded, mentionsAnnotation)) {
        concerned.add(loaded);
      }
    }
    return concerned;
  }

  @SuppressWarnings("unchecked") // it implements just this
  private static Predicate<Class<?>> constantPools(
      Startup.Running running, Instrumentation instrumentation) {
    try {
      return Class.forName("io.rollotel.agent.weave.ConstantPools", true, running.inner())
          .asSubclass(Predicate.class)
          .getConstructor(Instrumentation.class, List.class)
          .newInstance(instrumentation, AnnotatedClasses.ANNOTATIONS);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      AgentLog.warn(
          "annotated classes that are loaded already cannot be found in this JVM, those that"
              + " ROLL_OTEL_METHODS names can ("
              + (e instanceof InvocationTargetException ? e.getCause() : e)
              + ")");
      return loaded -> false;
    }
  }

  private static List<String> decoded(@Nullable String arguments) {
    List<String> decoded = new ArrayList<>();
    for (String argument : (arguments == null ? "" : arguments).split(",", -1)) {
      String plus = argument.replace("+", "%2B");
      decoded.add(
          argument.contains("%") ? URLDecoder.decode(plus, StandardCharsets.UTF_8) : argument);
    }
    return decoded;
  }
}
