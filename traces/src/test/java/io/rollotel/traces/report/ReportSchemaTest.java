package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.rollotel.traces.analysis.Finding;
import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.PartedRuns;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.TraceParts;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.kit.Json;
import io.rollotel.traces.kit.OnePart;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.kit.PlantedAgentRuns;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.PlantedProfile;
import io.rollotel.traces.kit.PlantedWaits;
import io.rollotel.traces.kit.RandomRequests;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.query.Query;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.Spans;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks the JSON of reports and comparisons against the schema, and the schema against them. */
class ReportSchemaTest {

  private static final String HERE = "https://roll-otel/report.schema.json";
  private static final SchemaRegistry SCHEMAS =
      SchemaRegistry.withDefaultDialect(
          SpecificationVersion.DRAFT_2020_12,
          builder -> builder.schemas(Map.of(HERE, ReportSchema.text())));

  private static final Map<?, ?> ROOT = map(Json.parse(ReportSchema.text()));
  private static final Map<?, ?> DEFINITIONS = map(ROOT.get("$defs"));

  /** Objects that others extend: the extending ones exclude further keys. */
  private static final Set<String> EXTENDED = Set.of("spanKeys", "workerKeys", "matchingKeys");

  private static final String SENT = "generate ray.remote";
  private static final long HOUR = 3_600_000_000_000L;

  private static final Map<Situation, String> REPORTS = new EnumMap<>(Situation.class);

  /** Of the runs with a profile, which is read when it is asked for. */
  @TempDir static Path profiles;

  @TempDir Path dir;

  /** Runs of every kind. */
  private enum Situation {
    STEPS {
      @Override
      RunReport report() {
        return of(training("r", 12, 1), template());
      }
    },
    /** Nothing to link to, and steps that are not in the files. */
    LOST_ROOTS {
      @Override
      RunReport report() {
        Planted planted = new Planted();
        for (int trace = 1; trace <= 3; trace++) {
          for (int rank = 0; rank < 3; rank++) {
            planted.span(trace, 900, "generate", "actor" + rank + "@a", 10, 90 + rank);
          }
        }
        return of(planted, ReportOptions.latestRun());
      }
    },
    /** Calls that take as long as the slowest, and calls that no step knows of. */
    COLLECTIVES {
      @Override
      RunReport report() {
        Planted planted = new Planted();
        for (int step = 1; step <= 20; step++) {
          long at = 2000L * step;
          long root = planted.span(step, 0, "pipeline_step", "driver@a", at, at + 1100);
          for (int rank = 0; rank < 4; rank++) {
            String worker = "w" + rank + "@h" + rank;
            long call = planted.span(step, root, "train", worker, at, at + 1050);
            long forwardEnd = at + (rank == 3 ? 1000 : 500);
            planted.span(step, call, "forward", worker, at, forwardEnd);
            planted.span(step, call, "allReduce", worker, forwardEnd, at + 1050);
          }
          planted.span(100 + step, 0, "judge", "w9@a", at + 100, at + 900);
        }
        return of(planted, template());
      }
    },
    /** Calls to workers one after the other, which a slow driver sends. */
    LATE_SENDS {
      @Override
      RunReport report() {
        Planted planted = new Planted();
        for (int step = 1; step <= 5; step++) {
          long at = 2000L * step;
          long root = planted.span(step, 0, "pipeline_step", "driver@a", at, at + 900);
          for (int rank = 0; rank < 4; rank++) {
            long sent = at + 100 * rank;
            planted.span(
                step, root, "play", "w" + rank + "@a", sent + 10, sent + 500, "roll.queue_ns", 10L);
          }
        }
        return of(planted, template());
      }
    },
    /**
     * A slow worker and a slow host, which hide each other; most of the difference is in a part.
     */
    SLOW_TOGETHER {
      @Override
      RunReport report() {
        Planted planted = new Planted();
        for (int step = 1; step <= 20; step++) {
          long at = 2000L * step;
          long root = planted.span(step, 0, "pipeline_step", "driver@a", at, at + 1000);
          for (int rank = 0; rank < 8; rank++) {
            String worker = "w" + rank + "@h" + rank / 2;
            long excess = rank == 0 ? 400 : rank >= 6 ? 300 : 0;
            long call = planted.span(step, root, "train", worker, at, at + 500 + excess);
            planted.span(step, call, "to_remote", worker, at, at + 50 + excess);
          }
        }
        return of(planted, template());
      }
    },
    SERVICES {
      @Override
      RunReport report() {
        Planted planted = new Planted();
        for (int i = 1; i <= 10; i++) {
          long root = planted.span(i, 0, "GET /x", "web@a", 10 * i, 10 * i + 9);
          planted.span(i, root, "query", "store@b", 10 * i + 1, 10 * i + 8, "failure", "no disk");
        }
        return of(planted, template());
      }
    },
    AGENT_RUNS {
      @Override
      RunReport report() {
        return of(PlantedAgentRuns.three(), template());
      }
    },
    OPEN_AGENT_RUNS {
      @Override
      RunReport report() {
        Planted planted = PlantedAgentRuns.retried();
        return of(
            planted,
            template(),
            PlantedAgentRuns.killed(planted, false),
            planted.recording("w4@b", true, 90, planted.open(5, 11, 0, "rlm.run", 3)));
      }
    },
    /** No span has ended: two runs with open spans. */
    NONE_ENDED {
      @Override
      RunReport report() {
        Planted planted = new Planted();
        Planted other = new Planted("other");
        return of(
            planted,
            template(),
            planted.recording("w1@b", false, 90, planted.open(1, 8, 7, "rlm.step", 6)),
            planted.recording("driver@a", true, 90, planted.open(1, 7, 0, "rlm.run", 3)),
            planted.dropped("w2@b", 12),
            other.recording("old@a", false, 2, other.open(2, 9, 0, "before", 1)));
      }
    },
    THINNED_OUT {
      @Override
      RunReport report() {
        return of(training("r", 5, 8), ReportOptions.latestRun());
      }
    },
    QUERIED {
      @Override
      RunReport report() throws Exception {
        Query query = Query.parse("status:error global_step:* OR rank:0");
        ReportOptions options = template().withWhere(query);
        Spans columns = new Spans(options.tags(null));
        training("r", 5, 8).spans().forEach(columns::add);
        return RunReport.ofNewest(List.of(), options, columns, new OpenSpans(List.of()));
      }
    },
    LOST_CALLS {
      @Override
      RunReport report() {
        Planted planted = new Planted();
        planted.span(1, 0, "f", "driver@a", 0, 9, "kind", Span.PRODUCER, "ray.task_id", "x");
        return of(planted, template());
      }
    },
    /** A slow worker, and why it is slow. */
    PROFILED {
      @Override
      RunReport report() throws Exception {
        Path directory = Files.createTempDirectory(profiles, "profiled");
        PlantedProfile.slowByGarbage(directory);
        return RunReport.read(List.of(directory), ReportOptions.latestRun());
      }
    },
    /** Methods that ran, and their lines. */
    BURNING {
      @Override
      RunReport report() throws Exception {
        Path directory = Files.createTempDirectory(profiles, "burning");
        PlantedProfile.burning(directory, "burning");
        return RunReport.read(List.of(directory), ReportOptions.latestRun());
      }
    },
    OPEN {
      @Override
      RunReport report() {
        Planted planted = new Planted();
        planted.span(1, 7, "work", "w1@b", 20, 30);
        return of(
            planted,
            template(),
            planted.recording("driver@a", true, 50, planted.open(1, 7, 0, "pipeline_step", 10)),
            planted.recording("w2@b", false, 40, planted.open(1, 8, 7, "", 35)));
      }
    },
    /**
     * Clocks that are ahead, contradictory, or with one bound only; a queue that was left before it
     * was entered.
     */
    CLOCKS {
      @Override
      RunReport report() {
        Planted planted = new Planted();
        long step = planted.span(1, 0, "pipeline_step", "driver@a", 0, 100);
        planted.span(1, step, "work", "w1@b", 60, 130, "roll.queue_ns", -7L);
        planted.span(1, step, "work", "w2@c", -50, 10);
        planted.span(1, step, "work", "w2@c", 30, 180);
        planted.span(1, step, "both", "driver@a", 20, 60);
        planted.span(1, step, "both", "w2@c", 20, 80);
        long send = planted.span(1, step, "send", "driver@a", 20, 30, "kind", Span.PRODUCER);
        planted.span(1, send, "receive", "w3@d", 5, 90, "kind", Span.CONSUMER);
        return of(planted, ReportOptions.latestRun());
      }
    },
    OVERLAPPING_STEPS {
      @Override
      RunReport report() {
        Planted planted = new Planted();
        for (int step = 1; step <= 6; step++) {
          long at = 60L * step;
          long root = planted.span(step, 0, "pipeline_step", "driver@a", at, at + 100);
          planted.span(step, root, "work", "w" + step % 2 + "@b", at + 10, at + 80);
        }
        return of(planted, ReportOptions.latestRun());
      }
    },
    /** One slow worker, two slow workers of which neither alone is the cause, and a slow step. */
    FINDINGS {
      @Override
      RunReport report() {
        Planted planted = new Planted();
        for (int step = 1; step <= 20; step++) {
          long at = 2000L * step;
          long end = at + (step == 7 ? 1900 : 900);
          long root =
              planted.span(step, 0, "pipeline_step", "driver@a", at, end, "global_step", step);
          for (int rank = 0; rank < 6; rank++) {
            long takes = rank < 2 ? 600 : 100 + rank;
            planted.span(step, root, "generate", "w" + rank + "@h" + rank, at, at + takes);
          }
          for (int rank = 0; rank < 3; rank++) {
            long takes = rank == 2 ? 200 : 100;
            planted.span(step, root, "train", "w" + (3 + rank) + "@b", at + 650, at + 650 + takes);
          }
        }
        return of(planted, template());
      }
    },
    WAITS {
      @Override
      RunReport report() {
        return of(PlantedWaits.polled(20, 1), template());
      }
    },
    /** Estimated percentiles, and traces that are not listed. */
    LARGE {
      @Override
      RunReport report() throws Exception {
        Planted planted = new Planted();
        for (int trace = 1; trace <= 200_001; trace++) {
          planted.span(trace, 0, "GET /x", "web@a", 10L * trace, 10L * trace + trace % 9);
        }
        TraceParts parts = new OnePart(planted.spans());
        PartedRuns.Options options =
            new PartedRuns.Options(
                RunAnalysis.PIPELINE_STEP,
                true,
                false,
                1,
                /* mostExact= */ 1_000,
                (done, of) -> {});
        PartedRuns runs = new PartedRuns(parts, CallJoins.NONE, OpenSpans.NONE, options);
        ReadSummary files = new ReadSummary(List.of(), 200_001, 0, 0, 0, List.of());
        return RunReport.ofParts(List.of(), template(), files, runs, OpenSpans.NONE, 0);
      }
    },
    /** Times that cannot be true, ancestors of themselves, duplicates, several runs. */
    ODD {
      @Override
      RunReport report() {
        long year = 400L * 86_400 * 1_000_000_000;
        Planted planted = training("r", 3, 1);
        planted.span(1, 0, "backwards", "driver@a", 9, 3);
        planted.span(1, 0, "untimed", "driver@a", -Planted.START, -Planted.START);
        planted.span(1, 0, "misdated", "driver@a", year, year + 1);
        planted.span(8, 701, 702, "ring", "driver@a", 0, 3);
        planted.span(8, 702, 701, "ring", "driver@a", 0, 3);
        planted.span(9, 999, "orphan", "nobody", 0, 3);
        List<Span> spans = new ArrayList<>(planted.spans());
        for (int trace = 1; trace <= 3; trace++) { // a worker with another id for its run
          Planted guest = new Planted("guest");
          guest.span(trace, 800, 1, "work", "w9@c", 1, 2);
          spans.addAll(guest.spans());
        }
        Planted older = new Planted("older");
        older.span(77, 0, "before", "driver@a", -9, -3);
        spans.addAll(older.spans());
        return of(spans, template());
      }
    };

    abstract RunReport report() throws Exception;
  }

  private static RunReport napping(long millis) throws Exception {
    Path directory = Files.createTempDirectory(profiles, "napping");
    PlantedProfile.napping(directory, "napping" + millis, millis);
    return RunReport.read(List.of(directory), ReportOptions.latestRun());
  }

  private static ReportOptions template() {
    return ReportOptions.latestRun().withTraceUrl("https://jaeger/{trace_id}/{span_id}");
  }

  private static RunReport of(Planted planted, ReportOptions options, Recording... recordings) {
    return of(planted.spans(), options, recordings);
  }

  private static RunReport of(List<Span> spans, ReportOptions options, Recording... recordings) {
    Spans columns = new Spans();
    spans.forEach(columns::add);
    return RunReport.ofNewest(List.of(), options, columns, new OpenSpans(List.of(recordings)));
  }

  /** Steps of 1000 and a bit, with two phases, calls that wait in queues, and work left behind. */
  private static Planted training(String runId, int steps, double weight) {
    Planted run = new Planted(runId).standingFor(weight);
    for (int step = 1; step <= steps; step++) {
      long at = 2000L * step;
      long root =
          run.span(step, 0, "pipeline_step", "driver@a", at, at + 1000 + step, "global_step", step);
      long rollout = run.span(step, root, "rollout", "driver@a", at, at + 700);
      for (int rank = 0; rank < 3; rank++) {
        long send = at + 10 + rank;
        long call =
            run.span(step, rollout, SENT, "driver@a", send, send + 5, "kind", Span.PRODUCER);
        run.span(
            step,
            call,
            SENT + "_worker",
            "w" + rank + "@b",
            at + 100,
            at + 600 + 10L * rank,
            "kind",
            Span.CONSUMER,
            "roll.queue_ns",
            90L - rank);
      }
      run.span(step, root, "save", "w1@b", at + 700, at + 1800);
      run.span(step, root, "train", "w0@b", at + 750, at + 900, "failure", "no step " + step);
    }
    return run;
  }

  /** Steps of 500 by that factor on one host, and of 500 on the other. */
  private static Planted onHosts(String runId, double slower) {
    Planted run = new Planted(runId);
    for (int step = 1; step <= 20; step++) {
      long at = 2000L * step;
      long root = run.span(step, 0, "pipeline_step", "driver@a", at, at + (long) (600 * slower));
      for (int rank = 0; rank < 4; rank++) {
        long takes = (long) ((500 + (7 * step + 3 * rank) % 10) * (rank < 2 ? slower : 1));
        run.span(step, root, "train", "w" + rank + "@h" + rank / 2, at, at + takes);
      }
    }
    return run;
  }

  private static Planted withMoreSaves(int steps) {
    Planted run = training("saves", steps, 1);
    for (int step = 1; step <= steps; step++) {
      long root = 10L * step - 9;
      for (int i = 0; i < 6; i++) {
        long at = 2000L * step + 900 + 10 * i;
        run.span(step, root, "save", "w1@b", at, at + 9);
      }
    }
    return run;
  }

  private static String json(RunReport report) {
    StringWriter text = new StringWriter();
    report.writeJson(new PrintWriter(text));
    return text.toString();
  }

  /**
   * Of runs that differ in their steps' number, their names, and whether a time is 0; and of those
   * whose profiles say why they are slower.
   */
  private static Map<String, String> comparisons() throws Exception {
    Planted none = new Planted("none");
    none.span(1, 0, "pipeline_step", "driver@a", 0, 0);
    RunReport one = of(training("one", 12, 1), template());
    Map<String, String> comparisons = new LinkedHashMap<>();
    for (RunReport other :
        List.of(
            one,
            of(training("two", 12, 1), template()),
            of(training("few", 2, 1), template()),
            of(withMoreSaves(12), template()),
            of(none, template()))) {
      StringWriter text = new StringWriter();
      one.against(other).writeJson(new PrintWriter(text));
      comparisons.put("against " + other.analysis().runId(), text.toString());
      StringWriter turned = new StringWriter();
      other.against(one).writeJson(new PrintWriter(turned));
      comparisons.put("turned " + other.analysis().runId(), turned.toString());
    }
    StringWriter host = new StringWriter();
    of(onHosts("slow", 1.5), template())
        .against(of(onHosts("quick", 1), template()))
        .writeJson(new PrintWriter(host));
    comparisons.put("slow host", host.toString());
    RunReport quick = napping(5);
    for (RunReport slow : List.of(napping(500), Situation.PROFILED.report())) {
      StringWriter text = new StringWriter();
      slow.against(quick).writeJson(new PrintWriter(text));
      comparisons.put("profile of " + slow.analysis().runId(), text.toString());
    }
    return comparisons;
  }

  /** Several tests look at each. */
  private static String json(Situation situation) throws Exception {
    String known = REPORTS.get(situation);
    if (known == null) {
      known = json(situation.report());
      REPORTS.put(situation, known);
    }
    return known;
  }

  @Test
  void schema_isOneOfItsDialect() {
    Schema dialect = SCHEMAS.getSchema(SchemaLocation.of(ROOT.get("$schema").toString()));
    assertThat(dialect.validate(ReportSchema.text(), InputFormat.JSON)).isEmpty();
  }

  @Tag("campaign")
  @ParameterizedTest
  @EnumSource
  void report_isAsTheSchemaSays(Situation situation) throws Exception {
    String json = json(situation);
    assertThat(json).startsWith("{\"schemaVersion\":1,");
    assertThatJson("report", json);
  }

  @Test
  void comparison_isAsTheSchemaSays() throws Exception {
    comparisons()
        .forEach(
            (situation, json) -> {
              assertThat(json).as(situation).startsWith("{\"schemaVersion\":1,");
              assertThatJson("comparison", json);
            });
  }

  @Test
  void runs_areAsTheSchemaSays() throws Exception {
    assertThatJson("runs", allRuns());
  }

  /** Of two runs with steps and one without. */
  private static String allRuns() throws Exception {
    List<Span> spans = new ArrayList<>(training("first", 12, 1).spans());
    for (String runId : List.of("second", "third")) {
      Planted run = new Planted(runId);
      for (int i = 0; i < 12; i++) {
        long trace = 100L * runId.length() + i;
        run.span(trace, 0, runId.equals("third") ? "request" : "pipeline_step", "d@a", i, i + 9);
      }
      spans.addAll(run.spans());
    }
    StringWriter text = new StringWriter();
    of(spans, template()).allRuns().writeJson(new PrintWriter(text));
    return text.toString();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void reportOnRandomFiles_isAsTheSchemaSays(long seed) throws Exception {
    assertThatJson("report", json(randomFiles(seed)));
  }

  private RunReport randomFiles(long seed) throws Exception {
    RandomRequests random = new RandomRequests(seed);
    Random times = new Random(seed);
    Path file = dir.resolve("traces.jsonl");
    for (int i = 0; i < 200; i++) {
      ExportTraceServiceRequest.Builder request = random.request().toBuilder();
      request.getResourceSpansBuilderList().stream()
          .flatMap(resource -> resource.getScopeSpansBuilderList().stream())
          .flatMap(scope -> scope.getSpansBuilderList().stream())
          .forEach(span -> within(HOUR, times, span));
      PlantedFile.write(file, request.build().toByteArray());
    }
    Files.writeString(dir.resolve("odd.jsonl"), "no JSON at all\n{\"resourceSpans\":[{\"res");
    return RunReport.read(List.of(dir), template());
  }

  /** The sum of hundreds of spans that last centuries does not fit into a long. */
  private static void within(
      long nanos, Random random, io.opentelemetry.proto.trace.v1.Span.Builder span) {
    span.setStartTimeUnixNano(Planted.START + random.nextLong(nanos));
    span.setEndTimeUnixNano(Planted.START + random.nextLong(nanos));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"schemaVersion\":1,\"run\":\"a\",\"against\":\"b\",\"changes\":[],\"newNames\":[]}",
        "{\"schemaVersion\":1,\"run\":\"a\",\"against\":\"b\",\"changes\":[],\"newNames\":[],"
            + "\"goneNames\":[],\"news\":[]}",
        "{\"schemaVersion\":2,\"run\":\"a\",\"against\":\"b\",\"changes\":[],\"newNames\":[],"
            + "\"goneNames\":[]}",
        "{\"schemaVersion\":1,\"run\":\"a\"}",
      })
  void otherJson_isNot(String json) {
    assertThat(SCHEMAS.getSchema(SchemaLocation.of(HERE)).validate(json, InputFormat.JSON))
        .isNotEmpty();
  }

  @Tag("campaign")
  @Test
  void keyOfTheSchema_isWrittenSomewhere() throws Exception {
    Set<String> written = new TreeSet<>();
    for (Situation situation : Situation.values()) {
      written(Json.parse(json(situation)), "", written);
    }
    written(Json.parse(json(randomFiles(1))), "", written);
    comparisons().values().forEach(json -> written(Json.parse(json), "", written));
    written(Json.parse(allRuns()), "", written);
    Set<String> declared = new TreeSet<>();
    for (String kind : List.of("report", "comparison", "runs")) {
      declared(map(DEFINITIONS.get(kind)), "", declared);
    }
    assertThat(written).containsAll(declared);
  }

  @Test
  void object_takesNoOtherKeysAndEachKeyIsDescribedWithItsUnit() {
    DEFINITIONS.forEach((name, definition) -> closed(name.toString(), definition));
  }

  @Test
  void keyOfAReport_isInTheDocumentation() throws Exception {
    String documentation = Files.readString(Path.of("../docs/analysis.md"));
    String keys = documentation.substring(documentation.indexOf("## `--json`"));
    String table = keys.substring(0, keys.indexOf("## `export`"));
    for (String kind : List.of("report", "comparison", "runs")) {
      assertThat(properties(kind).keySet())
          .allSatisfy(key -> assertThat(table).contains("`" + key + "`"));
    }
  }

  @Test
  void findings_areInTheSchemaAndInTheDocumentation() throws Exception {
    Map<?, ?> finding = map(map(properties("report").get("findings")).get("items"));
    Map<?, ?> kind = map(map(finding.get("properties")).get("kind"));
    List<String> kinds = Stream.of(Finding.Kind.values()).map(Finding.Kind::toString).toList();
    assertThat(List.<Object>copyOf((List<?>) kind.get("enum"))).hasSameElementsAs(kinds);
    assertThat(Files.readString(Path.of("../docs/analysis.md")))
        .contains(kinds.stream().map(name -> "`" + name + "`").toList());
  }

  private static Map<?, ?> properties(String definition) {
    return map(map(DEFINITIONS.get(definition)).get("properties"));
  }

  /** Of that kind, and, since the two have nothing in common, of one alone. */
  private static void assertThatJson(String kind, String json) {
    for (String where : List.of("#/$defs/" + kind, "")) {
      assertThat(
              SCHEMAS.getSchema(SchemaLocation.of(HERE + where)).validate(json, InputFormat.JSON))
          .as(json)
          .isEmpty();
    }
  }

  /** Adds the paths of all keys of a document. */
  private static void written(Object value, String path, Set<String> to) {
    if (value instanceof List<?> list) {
      list.forEach(element -> written(element, path + "[]", to));
    } else if (value instanceof Map<?, ?> object) {
      object.forEach(
          (key, element) -> {
            to.add(path + "." + key);
            written(element, path + "." + key, to);
          });
    }
  }

  /** Adds the paths of all keys that a schema names. */
  private static void declared(Map<?, ?> schema, String path, Set<String> to) {
    if (schema.get("$ref") instanceof String reference) {
      declared(definition(reference), path, to);
    }
    if (schema.get("allOf") instanceof List<?> parts) {
      parts.forEach(part -> declared(map(part), path, to));
    }
    if (schema.get("items") instanceof Map<?, ?> items) {
      declared(items, path + "[]", to);
    }
    if (schema.get("properties") instanceof Map<?, ?> properties) {
      properties.forEach(
          (key, property) -> {
            to.add(path + "." + key);
            declared(map(property), path + "." + key, to);
          });
    }
  }

  private static void closed(String path, Object part) {
    if (part instanceof List<?> list) {
      list.forEach(element -> closed(path, element));
    } else if (part instanceof Map<?, ?> schema) {
      if (schema.get("properties") instanceof Map<?, ?> properties) {
        if (!EXTENDED.contains(path)) {
          String others =
              schema.containsKey("allOf") ? "unevaluatedProperties" : "additionalProperties";
          assertThat(schema.get(others)).as(path).isEqualTo(false);
        }
        properties.forEach((key, property) -> described(path + "." + key, map(property)));
      }
      schema.forEach((key, value) -> closed(path + "." + key, value));
    }
  }

  private static void described(String path, Map<?, ?> property) {
    Object description = property.get("description");
    if (description == null && property.get("$ref") instanceof String reference) {
      description = definition(reference).get("description");
    }
    assertThat(description).as(path).isInstanceOf(String.class);
    assertThat(description.toString()).as(path).endsWith(".");
    if (path.toLowerCase(Locale.ROOT).endsWith("nanos")) {
      assertThat(description.toString()).as(path).contains("in nanoseconds");
    }
    if (path.endsWith("share") || path.endsWith("Share")) {
      assertThat(description.toString()).as(path).contains("0 to 1");
    }
  }

  private static Map<?, ?> definition(String reference) {
    return map(DEFINITIONS.get(reference.substring("#/$defs/".length())));
  }

  private static Map<?, ?> map(Object value) {
    return (Map<?, ?>) value;
  }
}
