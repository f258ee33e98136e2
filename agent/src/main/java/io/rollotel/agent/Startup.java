package io.rollotel.agent;

import io.rollotel.agent.hook.TraceHook;
import java.io.File;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What premain does once tracing may be enabled: read the settings, put the agent behind the hook,
 * watch class loading. Nothing heavy: the weaver waits for the first annotated class, the SDK for
 * the first traced call.
 */
final class Startup {

  /** While tracing is on: the settings that it runs with. */
  record Running(
      Settings settings,
      InnerLoader inner,
      ApiCopies copies,
      ClassChanges changes,
      AnnotatedClasses annotated,
      Account account,
      FirstMinute minute) {

    String directory() {
      return new File(settings.outputDir()).getAbsolutePath();
    }
  }

  /**
   * The system property that says, to whoever asks this JVM from outside and to {@code telemetry},
   * that tracing is on; its value is the output directory.
   */
  static final String TRACING = "io.rollotel.agent.tracing";

  private static @Nullable Running running;

  private Startup() {}

  static synchronized void start(@Nullable String arguments, Instrumentation instrumentation)
      throws IOException {
    if (TraceHook.active()) {
      AgentLog.warn("a second -javaagent of roll-otel on this command line is ignored");
      return;
    }
    Settings settings = Settings.read(arguments, System.getenv());
    boolean enabled = settings.enabled();
    if (enabled) {
      settings.check();
    }
    for (String complaint : settings.complaints()) {
      AgentLog.warn(complaint);
    }
    if (!enabled) {
      return;
    }
    begin(settings, instrumentation);
  }

  /** Puts the agent behind the hook and lets it see every class from now on. */
  static synchronized Running begin(Settings settings, Instrumentation instrumentation)
      throws IOException {
    InnerLoader inner = InnerLoader.ofAgent();
    // Each is known to the next by what it does, so that none is needed before it is there. No
    // lambdas: the JDK makes a class for each, and the means to do so with the first.
    FirstMinute[] minute = new FirstMinute[1];
    Account account =
        new Account(
            new Runnable() {
              @Override
              public void run() {
                minute[0].begin();
              }
            });
    ClassChanges changes = new ClassChanges(instrumentation, account);
    ApiCopies copies =
        new ApiCopies(
            settings,
            inner,
            account,
            new Consumer<>() {
              @Override
              public void accept(ApiCopies used) {
                if (settings.threads()) {
                  TaskThreads.weave(changes, inner, used);
                }
                if (settings.logCorrelation()) {
                  LogLibraries.weave(changes, inner);
                }
              }
            },
            new LastWords(settings, inner, account));
    minute[0] =
        new FirstMinute(
            account,
            settings,
            new Runnable() {
              @Override
              public void run() {
                copies.mayStart();
              }
            });
    AnnotatedClasses annotated =
        new AnnotatedClasses(
            inner,
            settings.methods(),
            account,
            settings.ray() == Settings.Ray.OFF ? null : new RayClasses(settings, inner, copies));
    Running started = new Running(settings, inner, copies, changes, annotated, account, minute[0]);
    running = started;
    TraceHook.connect(copies);
    changes.add(annotated);
    System.setProperty(TRACING, started.directory());
    AgentLog.info("enabled; traces go to " + settings.outputDir());
    copies.beforeMain();
    return started;
  }

  /** What is on in this JVM, if anything. */
  static synchronized @Nullable Running running() {
    return running;
  }

  /** Takes all of it back, and says how many classes; -1 where there is nothing to take back. */
  static synchronized int end() {
    Running ending = running;
    if (ending == null) {
      return -1;
    }
    running = null;
    System.clearProperty(TRACING);
    TraceHook.connect(null);
    // No call starts any more before what has ended is flushed.
    int restored = ending.changes.undo();
    ending.minute.end();
    ending.copies.detach();
    return restored;
  }
}
