package io.rollotel.agent.api;

import io.rollotel.agent.background.AgentThreads;
import io.rollotel.agent.background.Pinning;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.profile.Profile;
import io.rollotel.agent.recorder.Recorder;
import io.rollotel.agent.settings.CurrentSettings;
import io.rollotel.agent.settings.Role;
import io.rollotel.agent.settings.Settings;
import io.rollotel.traces.collector.Rendezvous;
import io.rollotel.traces.collector.WorkerEnvironment;
import java.io.File;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What all copies of the API share in a process. It is made with the first use of tracing, once,
 * under a lock that nothing else takes.
 */
public final class SharedParts {

  /**
   * The parts.
   *
   * @param settings as they hold from now on
   * @param rendezvous where this run's processes meet
   * @param recorder the flight recorder; it makes its file when the first SDK is built
   * @param profile started when the first SDK is built; null if the process is not profiled
   */
  public record Parts(
      Settings settings, Rendezvous rendezvous, Recorder recorder, @Nullable Profile profile) {}

  private final CurrentSettings settings;
  private final Runnable firstUse;

  /** Created on first use or with the first context, whichever comes first. */
  private final AtomicReference<@Nullable CallRuns> runs = new AtomicReference<>();

  private volatile @Nullable Parts parts;

  /**
   * True once the first use has run. Until then other threads of the application wait in {@link
   * #start}. The thread that runs it may already trace, and so may the agent's, for which it waits.
   */
  private volatile boolean isReady;

  private volatile boolean ended;

  /**
   * Loads nothing yet.
   *
   * @param firstUse called before any other thread is traced, and with each link that follows, in
   *     case it could not do its work
   */
  public SharedParts(CurrentSettings settings, Runnable firstUse) {
    this.settings = settings;
    this.firstUse = firstUse;
  }

  /** The current settings, which {@link #start} fixes. */
  public Settings settings() {
    return settings.get();
  }

  /** The parts, created on first use. */
  public Parts start() {
    Parts known = parts;
    if (known != null && (isReady || AgentThreads.isCurrent())) {
      return known;
    }
    boolean isPinned = Pinning.pin();
    try {
      return make();
    } finally {
      Pinning.unpin(isPinned);
    }
  }

  private synchronized Parts make() {
    Parts known = parts;
    if (known != null) {
      return known;
    }
    Settings fixed = settings.fix();
    known = parts;
    if (known != null) {
      return known; // fix() logged a complaint, and its listener called a traced method here
    }
    Rendezvous rendezvous = rendezvous(fixed);
    Parts made = new Parts(fixed, rendezvous, recorder(fixed), profile(fixed, rendezvous));
    // Before the first use, because classes that it loads may be traced, on this thread.
    parts = made;
    runs().takePart(made.rendezvous());
    made.rendezvous().readSettings();
    if (mayLead(fixed)) {
      fixed.sayOutputDir();
    }
    try {
      if (ended) {
        made.rendezvous().close();
      } else {
        firstUse.run();
      }
    } finally {
      isReady = true; // even after a stack overflow: a later link runs it again
    }
    return made;
  }

  /** Another call or method is linked: repeats the first use if it failed. */
  void linked() {
    if (isReady && !ended) {
      firstUse.run();
    }
  }

  /** Tracing ends. Parts made later are closed at once, and no first use follows. */
  void end() {
    ended = true;
  }

  /** The runs of received calls and of sent ones. */
  CallRuns runs() {
    CallRuns known = runs.get();
    if (known != null) {
      return known;
    }
    CallRuns made = new CallRuns();
    CallRuns before = runs.compareAndExchange(null, made);
    return before == null ? made : before;
  }

  /** Null before the first use of tracing. */
  @Nullable Parts made() {
    return parts;
  }

  private static Rendezvous rendezvous(Settings settings) {
    Consumer<String> warn = AgentLog::warn;
    Consumer<String> info = AgentLog::info;
    Function<String, @Nullable String> values = settings::collector;
    Rendezvous rendezvous =
        new Rendezvous(
            new File(settings.outputDir()).getAbsoluteFile(),
            mayLead(settings),
            settings.role() == Role.DRIVER,
            runId(settings),
            values,
            warn,
            info);
    String exporters = settings.otel("otel.traces.exporter");
    if (exporters != null && !exporters.equals("otlp")) {
      rendezvous.listenWhenItCollects(); // the run's collector does not get the spans
    }
    return rendezvous;
  }

  /** Python's processes have it as a resource attribute, and their child processes inherit that. */
  private static @Nullable String runId(Settings settings) {
    String given = settings.runId();
    return given != null
        ? given
        : WorkerEnvironment.runIdIn(settings.otel("otel.resource.attributes"));
  }

  private static boolean mayLead(Settings settings) {
    return switch (settings.role()) {
      case DRIVER -> true;
      case WORKER -> false;
      case AUTO -> !settings.endpointGiven("traces");
    };
  }

  private static Recorder recorder(Settings settings) {
    return new Recorder(
        settings.recorderBytes(),
        new File(new File(settings.outputDir()).getAbsoluteFile(), "open"));
  }

  private static @Nullable Profile profile(Settings settings, Rendezvous rendezvous) {
    String choice = settings.profile();
    return choice == null
        ? null
        : new Profile(
            choice,
            new File(new File(settings.outputDir()).getAbsoluteFile(), "profiles"),
            settings.profileBytes(),
            rendezvous::knownRunId);
  }
}
