package io.rollotel.agent.startup;

import io.rollotel.agent.api.ApiCopies;
import io.rollotel.agent.api.HookTarget;
import io.rollotel.agent.api.SharedParts;
import io.rollotel.agent.api.Shutdown;
import io.rollotel.agent.api.TracingCopies;
import io.rollotel.agent.command.AttachProtocol;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.ledger.ExitReport;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.ray.RayTransformer;
import io.rollotel.agent.settings.CurrentSettings;
import io.rollotel.agent.settings.Exporter;
import io.rollotel.agent.settings.MethodList;
import io.rollotel.agent.settings.RaySpans;
import io.rollotel.agent.settings.Settings;
import io.rollotel.agent.transform.AnnotatedClassTransformer;
import io.rollotel.agent.transform.ResettableTransformers;
import io.rollotel.traces.settings.EndpointText;
import java.io.File;
import java.lang.instrument.Instrumentation;
import java.util.List;
import java.util.function.Predicate;

/**
 * Tracing while it is on, with all its parts. To begin it is cheap: the weaver waits for the first
 * annotated class, the SDK for the first traced call.
 */
final class RunningAgent {

  /** What the names of the agent's own classes begin with. */
  private static final String AGENT = "io.rollotel.agent.";

  private final CurrentSettings current;
  private final ResettableTransformers transformers;
  private final AnnotatedClassTransformer annotated;
  private final ApiCopies copies;
  private final HookTarget target;
  private final Shutdown shutdown;
  private final ExitReport report;
  private final NoSpansWarning warning;

  private RunningAgent(Settings settings, Instrumentation instrumentation) {
    Ledger ledger = new Ledger();
    TracingCopies tracings = new TracingCopies();
    transformers = new ResettableTransformers(instrumentation, ledger);
    current = new CurrentSettings(settings);
    SharedParts shared = new SharedParts(current, new FirstUse(current, transformers, tracings));
    report = new ExitReport(current, ledger);
    shutdown = new Shutdown(instrumentation, current, shared, tracings, report);
    copies = new ApiCopies(current, shared, ledger, tracings, shutdown);
    target = new HookTarget(copies, shared, shutdown, tracings, ledger);
    warning = new NoSpansWarning(ledger, current, shutdown);
    annotated =
        new AnnotatedClassTransformer(
            settings.methods(),
            ledger,
            warning,
            settings.ray() == RaySpans.OFF ? null : new RayTransformer(copies));
  }

  /** Puts the agent behind the hook and lets it see every class from now on. */
  static RunningAgent begin(Settings settings, Instrumentation instrumentation) {
    return begun(settings, instrumentation, false);
  }

  /**
   * The same in premain. The JVM may have loaded classes of the application already: those that its
   * AOT cache holds, and those that an agent before this one needed.
   */
  static RunningAgent beginBeforeMain(Settings settings, Instrumentation instrumentation) {
    return begun(settings, instrumentation, true);
  }

  private static RunningAgent begun(
      Settings settings, Instrumentation instrumentation, boolean beforeMain) {
    RunningAgent begun = new RunningAgent(settings, instrumentation);
    try {
      begun.begin(settings, instrumentation, beforeMain);
    } catch (RuntimeException | Error e) {
      try {
        begun.end(); // leave nothing half started
      } catch (RuntimeException | Error second) {
        e.addSuppressed(second);
      }
      throw e;
    }
    return begun;
  }

  private void begin(Settings settings, Instrumentation instrumentation, boolean beforeMain) {
    TraceHook.connect(target);
    transformers.add(annotated);
    System.setProperty(AttachProtocol.TRACING, directory());
    if (AgentLog.saysInfo()) {
      AgentLog.info("enabled; traces go to " + destination(settings));
    }
    settings.sayIgnored();
    if (!settings.methods().isEmpty() || AgentLog.saysInfo()) {
      // The exit report names entries without matches, even if nothing else is traced.
      shutdown.mayStart();
    }
    if (beforeMain) {
      weaveEarly(instrumentation);
    }
    copies.beforeMain();
  }

  /** Asks for a few classes only: even a small program has loaded hundreds. */
  private void weaveEarly(Instrumentation instrumentation) {
    Class<?>[] loaded = instrumentation.getInitiatedClasses(ClassLoader.getSystemClassLoader());
    if (hasOthers(loaded)) {
      weaveLoaded(new LoadedClasses(instrumentation).thatConcern(this, loaded));
    }
  }

  /** Whether any of these is neither the JDK's nor the agent's: usually none, before main. */
  private static boolean hasOthers(Class<?>[] loaded) {
    ClassLoader system = ClassLoader.getSystemClassLoader();
    for (Class<?> type : loaded) {
      if (type.getClassLoader() == system && !type.getName().startsWith(AGENT)) {
        return true;
      }
    }
    return false;
  }

  /**
   * The destination of spans according to the settings; the application's code may change it later.
   */
  String destination() {
    return destination(current.get());
  }

  private static String destination(Settings settings) {
    String directory = new File(settings.outputDir()).getAbsolutePath();
    if (settings.exporter() == Exporter.FILE || !settings.endpointGiven("traces")) {
      return "none".equals(settings.otel("otel.traces.exporter"))
          ? "nobody (OTEL_TRACES_EXPORTER=none)"
          : directory;
    }
    String ofTraces = settings.otel("otel.exporter.otlp.traces.endpoint");
    String endpoint =
        ofTraces != null ? ofTraces : String.valueOf(settings.otel("otel.exporter.otlp.endpoint"));
    return EndpointText.withoutUser(endpoint)
        + ", or to "
        + directory
        + " while that does not take them";
  }

  /** The output directory. */
  String directory() {
    return new File(current.get().outputDir()).getAbsolutePath();
  }

  /** {@code ROLL_OTEL_METHODS}, which knows what it has matched so far. */
  MethodList methods() {
    return current.get().methods();
  }

  /** What was declared, woven and called so far, a line each. */
  List<String> statement() {
    return report.statement();
  }

  /** Weaves the classes that were loaded before the agent; returns how many are woven now. */
  int weaveLoaded(List<Class<?>> loaded) {
    transformers.retransform(loaded);
    loaded.forEach(copies::attached);
    return transformers.changed().size();
  }

  /** Whether the transformer would have looked at this class when it was loaded. */
  boolean concerns(Class<?> loaded, Predicate<Class<?>> mentionsAnnotation) {
    return annotated.concerns(loaded, mentionsAnnotation);
  }

  /** Undoes all changes, and returns how many classes have their own bytes again. */
  int end() {
    System.clearProperty(AttachProtocol.TRACING);
    TraceHook.connect(null);
    // First stop new calls, then flush the ended spans.
    int restored = transformers.reset();
    warning.end();
    copies.detach();
    return restored;
  }
}
