package io.rollotel.agent.settings;

import io.rollotel.traces.collector.CollectorTable;
import io.rollotel.traces.settings.NearestName;
import io.rollotel.traces.settings.Parser;
import io.rollotel.traces.settings.Setting;
import io.rollotel.traces.settings.Setting.Reader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All settings there are. A new setting is an entry here, or in {@link CollectorTable} if the
 * collector reads it, and nowhere else: everything that lists settings reads this table.
 */
public final class SettingsTable {

  // Declared before the entries, which add themselves to it.
  private static final List<Setting<?>> OWN = new ArrayList<>();

  public static final Setting<Boolean> ENABLED =
      add(
          Setting.of(
                  "ENABLED",
                  Parser.flag(),
                  "off",
                  "`1`, `true`, `yes` or `on` enables tracing. Off: no class is woven, no thread is"
                      + " started, no payload is touched")
              .readBy(Reader.PROCESS, Reader.LIBRARY)
              .notForWorkers());

  public static final Setting<String> OUTPUT_DIR =
      add(
          Setting.of(
                  "OUTPUT_DIR",
                  Parser.text(),
                  "output/otlp",
                  "the directory of the lock, the collector's address and `traces/traces.jsonl`. In"
                      + " a submitted Ray job it is beside Ray's sessions ([ray.md](ray.md))")
              .defaultInWords("`./output/otlp`")
              .notForWorkers());

  static final Setting<NoContext> NO_CONTEXT =
      add(
          Setting.of(
              "NO_CONTEXT",
              Parser.choice(NoContext.values()),
              "local",
              "`local`, `suppress` or `root`: what a call without a context becomes"
                  + " ([concepts.md](concepts.md#what-a-traced-call-becomes))"));

  static final Setting<RaySpans> RAY =
      add(
          Setting.of(
              "RAY",
              Parser.choice(RaySpans.values()),
              "on",
              "`off`, `on` or `verbose`: which of Ray's calls become spans ([ray.md](ray.md))"));

  static final Setting<ExecSpans> EXEC =
      add(
          Setting.of(
              "EXEC",
              Parser.choice(ExecSpans.values()),
              "auto",
              "`always`: each worker span has the child `exec`, as in ROLL; a `pipeline_step` has none."
                  + " `auto`: only those that have `prefetch` or `to_remote`"));

  /** May be Python's: see {@link Settings#startupHook}. */
  static final Setting<String> STARTUP_HOOK =
      add(
          Setting.of(
              "STARTUP_HOOK",
              Parser.text(
                  "[\\w$.]+::[\\w$]+|[\\w.]+:[\\w.]+",
                  "a class and a static method such as com.acme.Tracing::setup"),
              null,
              "a static method that is called before main, such as `com.acme.Tracing::setup`"
                  + " ([below](#code-that-shapes-tracing))"));

  /** {@link MethodList} parses its entries, and reports each invalid one. */
  static final Setting<String> METHODS =
      add(
          Setting.of(
              "METHODS",
              Parser.text(),
              null,
              "methods to trace without an annotation"
                  + " ([annotate.md](annotate.md#without-annotations))"));

  static final Setting<Long> ATTRIBUTE_LENGTH =
      add(
          Setting.of(
              "ATTRIBUTE_LENGTH",
              Parser.number(1, Integer.MAX_VALUE, "a number of characters above 0"),
              "1024",
              "text of `@SpanAttribute` is cut after this many characters"));

  static final Setting<Long> EXCEPTION_LENGTH =
      add(
          Setting.of(
              "EXCEPTION_LENGTH",
              Parser.number(1, 1 << 20, "a number of characters from 1 to 1048576"),
              "32768",
              "an exception's message is cut after this many characters, and so is its stack"
                  + " trace"));

  static final Setting<Role> ROLE =
      add(
          Setting.of(
                  "ROLE",
                  Parser.choice(Role.values()),
                  "auto",
                  "a `driver` collects, a `worker` never does. `auto`: the process that gets the lock"
                      + " is the driver; with an endpoint set, every process is a worker")
              .notForWorkers());

  static final Setting<String> INSTANCE =
      add(
          Setting.of(
                  "INSTANCE",
                  Parser.text(),
                  null,
                  "`service.instance.id`, and the name of the process's own file. ROLL's driver sets"
                      + " `WORKER_NAME`")
              .defaultInWords("`WORKER_NAME`:pid, else host:pid")
              .notForWorkers());

  static final Setting<String> RUN_ID =
      add(
          Setting.of("RUN_ID", Parser.text(), null, "the run's id; workers take the driver's")
              .defaultInWords("random")
              .readBy(Reader.PROCESS, Reader.COLLECTOR)
              .notForWorkers());

  static final Setting<Long> EXIT_TIMEOUT =
      add(
          Setting.of(
              "EXIT_TIMEOUT",
              Parser.seconds(3_600_000, "a number of seconds such as 2, 0.5 or 500ms"),
              "2",
              "seconds (or `500ms`) that the flush at exit may take; spans that are left go to the"
                  + " process's own file"));

  static final Setting<Boolean> THREADS =
      add(
          Setting.of(
              "THREADS",
              Parser.flag(),
              "on",
              "`on`: the current context follows work into other threads. `off`: the JDK's classes"
                  + " are not woven"));

  static final Setting<Exporter> EXPORTER =
      add(
          Setting.of(
              "EXPORTER",
              Parser.choice(Exporter.values()),
              "otlp",
              "`file`: each process writes a file of its own into the output directory. No"
                  + " collector runs, and an endpoint is ignored"));

  public static final Setting<Boolean> REPLAY =
      add(
          Setting.of(
              "REPLAY",
              Parser.flag(),
              "off",
              "`on`: spans that could not be delivered to an endpoint wait in the process's own"
                  + " file and are sent once it takes spans again, also those of earlier processes of this"
                  + " host ([reliability.md](reliability.md))"));

  static final Setting<List<String>> BAGGAGE_ATTRIBUTES =
      add(
          Setting.of(
              "BAGGAGE_ATTRIBUTES",
              Parser.names(),
              null,
              "names of baggage entries that become attributes of worker spans"));

  static final Setting<Boolean> LOG_CORRELATION =
      add(
          Setting.of(
              "LOG_CORRELATION",
              Parser.flag(),
              "on",
              "what Logback and Log4j 2 log inside a span carries `trace_id`, `span_id` and"
                  + " `traceparent`"));

  static final Setting<Long> RECORDER_BYTES =
      add(
          Setting.of(
              "RECORDER_BYTES",
              Parser.bytesOrNone(128 << 10, 1 << 30, "0 for none, or a size from 128k to 1024m"),
              "2m",
              "the size of the process's recorder file, which holds open spans: `128k` to `1024m`;"
                  + " `0`: no such file"));

  /** It has no default, otherwise its regular expression would run at each start. */
  static final Setting<String> PROFILE =
      add(
          Setting.of(
                  "PROFILE",
                  Parser.text(
                      "(?i:on|1|true|yes|off|0|false|no|cpu)|[1-9][0-9]{0,3} ?ms|.*[.]jfc",
                      "on, off, cpu, a sampling period such as 10ms, or a .jfc file"),
                  null,
                  "`on`: Flight Recorder records what the threads of spans do"
                      + " ([profile.md](profile.md)). Or a sampling period such as `10ms`, `cpu` to"
                      + " sample by processor time (JDK 25 on Linux), or a `.jfc` file")
              .defaultInWords("`off`"));

  static final Setting<Long> PROFILE_BYTES =
      add(
          Setting.of(
              "PROFILE_BYTES",
              Parser.bytesOrNone(16 << 20, 1L << 40, "a size of at least 16m"),
              "256m",
              "the most disk space that a process's profile takes; the oldest part is deleted"
                  + " first"));

  /** The default is that of the log. */
  static final Setting<String> LOG =
      add(
          Setting.of(
                  "LOG",
                  Parser.word("debug, info, warn or off", "debug", "info", "warn", "off"),
                  null,
                  "`debug`, `info`, `warn` or `off`: which lines `[roll-otel] …` appear on stderr")
              .defaultInWords("`warn`")
              .readBy(Reader.PROCESS, Reader.LIBRARY));

  static final Setting<Boolean> RUNS_ENABLED =
      add(
          Setting.of(
                  "RUNS_ENABLED",
                  Parser.flag(),
                  "off",
                  "whether `RunTelemetry` records runs, and whether it keeps task, code, output and"
                      + " answer: [runs.md](runs.md)")
              .readBy(Reader.LIBRARY));

  static final Setting<Boolean> RUNS_CONTENT =
      add(Setting.of("RUNS_CONTENT", Parser.flag(), "on", Setting.AS_ABOVE).readBy(Reader.LIBRARY));

  private SettingsTable() {}

  private static <T> Setting<T> add(Setting<T> entry) {
    OWN.add(entry);
    return entry;
  }

  /** All settings, in their documented order. */
  public static List<Setting<?>> all() {
    List<Setting<?>> all = new ArrayList<>(OWN);
    all.addAll(CollectorTable.entries());
    return all;
  }

  /** Those of the agent and of the library. */
  static List<Setting<?>> own() {
    return OWN;
  }

  /** Whether there is a setting of this name. */
  static boolean knows(String name) {
    // The collector's settings are rarely needed, so they are not loaded before main.
    return has(OWN, name) || has(CollectorTable.entries(), name);
  }

  private static boolean has(List<Setting<?>> settings, String name) {
    for (Setting<?> setting : settings) {
      if (setting.name().equals(name)) {
        return true;
      }
    }
    return false;
  }

  /** The known name most similar to a misspelled one; null if none is. */
  static @Nullable String nearest(String name) {
    List<String> names = new ArrayList<>();
    for (Setting<?> setting : all()) {
      names.add(setting.name());
    }
    names.sort(null); // always the same one of two equally similar names
    String nearest = NearestName.closeTo(name, names);
    if (nearest == null) {
      names.removeIf(known -> !("_" + known).contains("_" + name)); // without its first word
      nearest = names.isEmpty() ? null : names.get(0);
    }
    return nearest;
  }
}
