package io.rollotel.traces.profile;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.PartedRuns;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.kit.OnePart;
import io.rollotel.traces.kit.PlantedProfile;
import io.rollotel.traces.kit.SerializedPasses;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.report.FindingRow;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.ReportWriter;
import io.rollotel.traces.report.RunReport;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** On a run whose recordings Flight Recorder has made in this JVM. */
class RunProfileTest {

  private @TempDir Path directory;

  @BeforeEach
  void plant() throws Exception {
    PlantedProfile.slowByGarbage(directory);
  }

  private RunReport report() throws Exception {
    return RunReport.read(List.of(directory), ReportOptions.latestRun());
  }

  private static String text(RunReport report) {
    StringWriter text = new StringWriter();
    report.print(new ReportWriter(text));
    return text.toString();
  }

  @Test
  void slowWorker_isSlowBecauseOfCollections() throws Exception {
    FindingRow slow =
        report().contents().findings().stream()
            .filter(row -> row.cause() != null)
            .findFirst()
            .orElseThrow();
    assertThat(slow.workers().get(0).instanceId()).isEqualTo("actor1");
    assertThat(slow.cause().activity()).isEqualTo(Activity.GC_PAUSE);
    assertThat(slow.text()).containsPattern("; \\d+% of the difference is GC pauses \\(heap \\d+%");
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(longs = {3_000_000_000L, -3_000_000_000L})
  void hostWhoseClockIsOff_isJoinedAllTheSame(long aheadNanos) throws Exception {
    Path run = directory.resolve("two-hosts");
    PlantedProfile.slowByGarbage(run, aheadNanos);
    RunProfile profile = RunReport.read(List.of(run), ReportOptions.latestRun()).profile();
    assertThat(profile).isNotNull();
    Breakdown slow =
        profile.names().stream()
            .map(RunProfile.Part::breakdown)
            .max(Comparator.comparingDouble(Breakdown::totalNanos))
            .orElseThrow();
    assertThat(slow.nanos(Activity.GC_PAUSE)).isGreaterThan(0.5 * slow.totalNanos());
    assertThat(slow.nanos(Activity.NO_PROFILE)).isLessThan(0.05 * slow.totalNanos());
  }

  @Test
  void report_saysWhyByTheProfile() throws Exception {
    assertThat(text(report())).contains("by the profile of 3 processes:").contains("% GC pauses");
  }

  @Test
  void methodThatRan_hasItsLines() throws Exception {
    Path run = Files.createDirectory(directory.resolve("burning"));
    PlantedProfile.burning(run, "burning");
    RunReport report = RunReport.read(List.of(run), ReportOptions.latestRun());
    Breakdown.Detail method =
        report.profile().names().get(0).breakdown().details(Activity.RUNNING).get(0);
    assertThat(method.what()).endsWith("PlantedProfile.burn");
    assertThat(method.lines()).isNotEmpty();
    assertThat(method.lines()).allMatch(line -> line.line() > 1);
    assertThat(text(report))
        .containsPattern("running \\(\\d+ samples\\): PlantedProfile\\.burn(:\\d+)?\\s+\\d+%");
  }

  @Tag("campaign")
  @Test
  void steps_addUpToTheWhole() throws Exception {
    RunProfile profile = report().profile();
    Map<String, Double> found = new HashMap<>();
    profile
        .spans()
        .forEachStep(
            (step, path, names) -> {
              path.forEach(part -> add(part, "path", found));
              names.forEach(part -> add(part, "names", found));
              return true;
            });
    Map<String, Double> whole = new HashMap<>();
    profile.path().forEach(part -> add(part, "path", whole));
    profile.names().forEach(part -> add(part, "names", whole));
    assertThat(found.keySet()).isEqualTo(whole.keySet());
    found.forEach(
        (key, value) -> assertThat(value).as(key).isCloseTo(whole.get(key), within(100.0)));
  }

  private static void add(RunProfile.Part part, String where, Map<String, Double> to) {
    String key = where + " " + part.name() + " in " + part.process();
    to.merge(key + ": spans", (double) part.breakdown().spans(), Double::sum);
    for (Activity activity : part.breakdown().activities()) {
      to.merge(key + ": " + activity, part.breakdown().nanos(activity), Double::sum);
    }
  }

  @Test
  void steps_endWhenThereWereEnough() throws Exception {
    List<Integer> taken = new ArrayList<>();
    report().profile().spans().forEachStep((step, path, names) -> taken.add(step) && step < 2);
    assertThat(taken).containsExactly(0, 1, 2);
  }

  @Tag("campaign")
  @Test
  void slowerRun_isSlowerBecauseOfWhatGrewInIt() throws Exception {
    Path quick = Files.createDirectory(directory.resolve("short"));
    Path slow = Files.createDirectory(directory.resolve("long"));
    PlantedProfile.napping(quick, "short", 5);
    PlantedProfile.napping(slow, "long", 250); // more than chance would delay a step
    RunReport before = RunReport.read(List.of(quick), ReportOptions.latestRun());
    RunReport after = RunReport.read(List.of(slow), ReportOptions.latestRun());
    Cause cause = after.profile().cause("generate", before.profile());
    assertThat(cause).isNotNull();
    assertThat(cause.activity()).isEqualTo(Activity.SLEEPING);
    assertThat(cause.share()).isGreaterThan(0.8);
    assertThat(cause.what()).contains("PlantedProfile.nap");
    assertThat(before.profile().cause("generate", after.profile())).isNull();
    assertThat(after.profile().cause("not there", before.profile())).isNull();
    StringWriter text = new StringWriter();
    after.against(before).print(new ReportWriter(text));
    assertThat(text.toString())
        .contains("Why? By the profiles of both runs, in the mean of a span:")
        .containsPattern("generate: \\d+% of the difference is sleeping: PlantedProfile");
    StringWriter json = new StringWriter();
    after.against(before).writeJson(new PrintWriter(json));
    assertThat(json.toString()).contains("\"cause\":{\"activity\":\"sleeping\",\"share\":");
  }

  @Test
  void otherFiles_areNoProfile() throws Exception {
    Path profiles = directory.resolve("profiles");
    for (String process : List.of("driver", "actor0", "actor1")) {
      Files.delete(profiles.resolve(process + ".1.jfr"));
    }
    for (String name : List.of("actor.1.jfr", "actor1.jfr", "actor1.x.jfr", "actor1.0.jfr")) {
      Files.writeString(profiles.resolve(name), "no recording");
    }
    assertThat(report().profile()).isNull();
  }

  /** In a container, each run's process may have the same name. */
  @Test
  void recordingOfAnotherRunsProcessOfThatName_isNotRead() throws Exception {
    Path run = Files.createDirectory(directory.resolve("napping"));
    PlantedProfile.napping(run, "napping", 20);
    RunProfile alone = RunReport.read(List.of(run), ReportOptions.latestRun()).profile();
    Path foreign = directory.resolve("profiles/actor1.1.jfr");
    Files.copy(foreign, run.resolve("profiles/actor0.2.jfr"));
    RunProfile beside = RunReport.read(List.of(run), ReportOptions.latestRun()).profile();
    assertThat(beside.files()).isEqualTo(alone.files());
    Files.copy(foreign, run.resolve("profiles/actor0.1.jfr"), REPLACE_EXISTING);
    RunProfile others = RunReport.read(List.of(run), ReportOptions.latestRun()).profile();
    assertThat(others.processes()).isEqualTo(alone.processes() - 1);
  }

  /** The parts may be in other JVMs, to which the work goes but no recording. */
  @Test
  void runInPartsElsewhere_hasNone() throws Exception {
    List<Span> spans = new ArrayList<>();
    ReadSummary files = new TracesReader().read(directory, spans::add);
    PartedRuns.Options options =
        new PartedRuns.Options(
            RunAnalysis.PIPELINE_STEP, true, false, 1, Integer.MAX_VALUE, (done, of) -> {});
    PartedRuns runs =
        new PartedRuns(
            new SerializedPasses(new OnePart(spans), new Random(1)),
            CallJoins.NONE,
            OpenSpans.NONE,
            options);
    RunReport report =
        RunReport.ofParts(
            List.of(directory), ReportOptions.latestRun(), files, runs, OpenSpans.NONE, 0);
    assertThat(report.contents().header().runId()).isEqualTo("profiled");
    assertThat(report.contents().profile()).isNull();
  }

  /** What the JDK's parser does with damaged files cannot be predicted. */
  @Tag("campaign")
  @Test
  void recordingCutOrDamaged_isReadAsFarAsItCanBe() throws Exception {
    Path file = directory.resolve("profiles/actor1.1.jfr");
    byte[] whole = Files.readAllBytes(file);
    Random random = new Random(26);
    for (int i = 0; i < 20; i++) {
      byte[] part = Arrays.copyOf(whole, random.nextInt(whole.length));
      Files.write(file, part);
      RunProfile profile = report().profile();
      assertThat(profile).isNotNull();
      assertThat(profile.problems()).as("%d bytes", part.length).hasSize(1);
      assertThat(profile.problems().get(0)).startsWith(file.toString());
    }
  }
}
