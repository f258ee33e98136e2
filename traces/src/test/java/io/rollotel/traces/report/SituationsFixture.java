package io.rollotel.traces.report;

import static io.rollotel.traces.report.PlantedReports.of;
import static io.rollotel.traces.report.PlantedReports.onHosts;
import static io.rollotel.traces.report.PlantedReports.template;
import static io.rollotel.traces.report.PlantedReports.training;
import static io.rollotel.traces.report.PlantedReports.withMoreSaves;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.PartedRuns;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.TraceParts;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.kit.OnePart;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.kit.PlantedAgentRuns;
import io.rollotel.traces.kit.PlantedProfile;
import io.rollotel.traces.kit.PlantedWaits;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.query.Query;
import io.rollotel.traces.spans.Spans;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

/** Runs of every kind, and their reports. */
abstract class SituationsFixture {

  static final long HOUR = 3_600_000_000_000L;

  static final Map<Situation, String> REPORTS = new EnumMap<>(Situation.class);

  /** Of the runs with a profile, which is read when it is asked for. */
  @TempDir static Path profiles;

  @TempDir Path dir;

  /** Runs of every kind. */
  enum Situation {
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
    /** A driver that evaluates after each step, and workers of which two are not traced. */
    BETWEEN_STEPS {
      @Override
      RunReport report() {
        Planted planted = new Planted().ofWorldSize(4);
        planted.span(1, 1, 0, "training", "driver@a", 0, 1000);
        for (int step = 0; step < 5; step++) {
          long at = 200L * step;
          planted.span(1, 10L + step, 1, "pipeline_step", "driver@a", at, at + 100);
          planted.span(1, 30L + step, 10L + step, "train", "w" + step % 2 + "@a", at, at + 100);
          planted.span(1, 20L + step, 1, "evaluate", "driver@a", at + 100, at + 200);
        }
        return of(planted, template());
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

  static RunReport napping(long millis) throws Exception {
    Path directory = Files.createTempDirectory(profiles, "napping");
    PlantedProfile.napping(directory, "napping" + millis, millis);
    return RunReport.read(List.of(directory), ReportOptions.latestRun());
  }

  static String json(RunReport report) {
    StringWriter text = new StringWriter();
    report.writeJson(new PrintWriter(text));
    return text.toString();
  }

  /** Several tests look at each. */
  static String json(Situation situation) throws Exception {
    String known = REPORTS.get(situation);
    if (known == null) {
      known = json(situation.report());
      REPORTS.put(situation, known);
    }
    return known;
  }

  /**
   * Of runs that differ in their steps' number, their names, and whether a time is 0; and of those
   * whose profiles say why they are slower.
   */
  static Map<String, String> comparisons() throws Exception {
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
}
