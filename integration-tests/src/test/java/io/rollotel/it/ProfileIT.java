package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** What the profile reports for programs whose work is known. */
@Timeout(600)
@Tag("alone")
class ProfileIT {

  /** The tolerance for a share. */
  private static final double FIVE_POINTS = 0.05;

  /** The program does not wait for a recording. */
  private static final String NONE = "-Dprofile.none=true";

  private @TempDir Path directory;

  private ProgramRun program(String... arguments) throws IOException {
    return ProgramRun.of(directory, ProfiledProgram.class, arguments)
        .openTelemetry(System.getProperty("opentelemetry.newest"), false)
        .environment("ROLL_OTEL_PROFILE", "on");
  }

  private Path output() {
    return directory.resolve("output/otlp");
  }

  private List<Path> recordings() throws IOException {
    Path folder = output().resolve("profiles");
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  private Result report(String... options) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("report", output().toString()));
    arguments.addAll(List.of(options));
    return ProgramRun.of(directory, ProfiledProgram.class)
        .withoutAgent()
        .withoutEnvironment("ROLL_OTEL_ENABLED")
        .jar(ProgramRun.AGENT, arguments.toArray(new String[0]))
        .run();
  }

  /** The activities in the spans of a name: shares by activity, and by activity and detail. */
  private Map<String, Double> shares(String name) throws Exception {
    Map<String, Double> shares = new HashMap<>();
    String json = report("--json").isClean().out();
    try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), json)) {
      while (parser.nextToken() != null && !isField(parser, "profile")) {
        // To the profile.
      }
      while (parser.nextToken() != null && !isField(parser, "names")) {
        // To what was done by name.
      }
      boolean isIt = false;
      double nanos = 0;
      String activity = "";
      String what = "";
      boolean isActivity = false;
      boolean isLine = false;
      for (JsonToken token = parser.nextToken();
          token != null && !isField(parser, "stepsAreTraces");
          token = parser.nextToken()) {
        if (token != JsonToken.PROPERTY_NAME) {
          continue;
        }
        String field = parser.currentName();
        parser.nextToken();
        switch (field) {
          case "name" -> {
            isIt = parser.getString().equals(name);
            nanos = 0;
          }
          case "activity" -> {
            activity = parser.getString();
            isActivity = true;
          }
          case "what" -> what = parser.getString();
          case "line" -> isLine = true;
          case "nanos" -> {
            double value = parser.getDoubleValue();
            if (isLine) {
              isLine = false; // a part of the method's
            } else if (isIt && nanos == 0) {
              nanos = value;
            } else if (isIt && isActivity) {
              shares.merge(activity, value / nanos, Double::sum);
              isActivity = false;
            } else if (isIt) {
              shares.merge(activity + ": " + what, value / nanos, Double::sum);
            }
          }
          default -> {
            // Shares follow from these.
          }
        }
      }
    }
    return shares;
  }

  private static boolean isField(JsonParser parser, String name) {
    return parser.currentToken() == JsonToken.PROPERTY_NAME && name.equals(parser.currentName());
  }

  private static double sumOf(Map<String, Double> shares, String beginning) {
    return shares.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(beginning))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }

  /** Of six seconds: enough samples that chance moves a share by less than two points. */
  @Tag("campaign")
  @Test
  void twoHotMethods_haveTheirShares() throws Exception {
    program("methods").environment("ROLL_OTEL_PROFILE", "5ms").run().isClean();
    assertThreeToOne(FIVE_POINTS);
  }

  /**
   * Of six seconds at the usual rate: at most 300 samples, so that chance moves a share by 2.5
   * points.
   */
  @Tag("campaign")
  @Test
  void processorTime_isSampledWhereTheJvmCan() throws Exception {
    Result run = program("methods").environment("ROLL_OTEL_PROFILE", "cpu").run();
    assertThat(run.exitCode()).isZero();
    if (Runtime.version().feature() < 25) {
      assertThat(run.err()).contains("ROLL_OTEL_PROFILE=cpu needs JDK 25 or later on Linux");
    } else {
      assertThat(run.err()).isEmpty();
      assertThat(events("jdk.CPUTimeSample")).hasSizeGreaterThan(100);
      assertThat(events("jdk.ExecutionSample")).isEmpty();
    }
    assertThreeToOne(2 * FIVE_POINTS);
  }

  private List<RecordedEvent> events(String type) throws IOException {
    List<RecordedEvent> events = new ArrayList<>();
    for (Path file : recordings()) {
      events.addAll(RecordingFile.readAllEvents(file));
    }
    events.removeIf(event -> !event.getEventType().getName().equals(type));
    return events;
  }

  /** For those who open the recording in another tool. */
  @Test
  void spans_areEventsOfTheRecording() throws Exception {
    Result run = program("sleep").run().isClean();
    Span span = run.span("worker.sleeping");
    assertThat(events("io.rollotel.Span"))
        .filteredOn(event -> event.getString("name").equals("worker.sleeping"))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getString("traceId")).isEqualTo(span.traceId());
              assertThat(event.getString("spanId")).isEqualTo(span.spanId());
              assertThat(event.getThread().getJavaName()).isEqualTo("main");
              assertThat(event.getDuration())
                  .isBetween(Duration.ofMillis(290), Duration.ofMillis(600));
            });
  }

  private void assertThreeToOne(double tolerance) throws Exception {
    Map<String, Double> shares = shares("worker.methods");
    double three = sumOf(shares, "running: io.rollotel.it.ProfiledProgram.threeParts");
    double one = sumOf(shares, "running: io.rollotel.it.ProfiledProgram.onePart");
    double burnt = sumOf(shares, "running: io.rollotel.it.ProfiledProgram.burn");
    // The innermost method of the program's is burn, which both call.
    assertThat(burnt / shares.get("running")).as("%s", shares).isGreaterThan(0.9);
    assertThat(three + one).as("%s", shares).isLessThan(0.1);
    Path collapsed = directory.resolve("methods.txt");
    export("--collapsed", collapsed, "--name", "worker.methods");
    double inThree = 0;
    double inOne = 0;
    for (String line : Files.readAllLines(collapsed)) {
      double micros = Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
      inThree += line.contains("ProfiledProgram.threeParts;") ? micros : 0;
      inOne += line.contains("ProfiledProgram.onePart;") ? micros : 0;
    }
    assertThat(inThree / (inThree + inOne)).isCloseTo(0.75, within(tolerance));
  }

  private void export(String format, Path file, String... options) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("export", format, file.toString()));
    arguments.addAll(List.of(options));
    arguments.add(output().toString());
    ProgramRun.of(directory, ProfiledProgram.class)
        .withoutAgent()
        .withoutEnvironment("ROLL_OTEL_ENABLED")
        .jar(ProgramRun.AGENT, arguments.toArray(new String[0]))
        .run()
        .isClean();
  }

  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({
    "lock, worker.lock, lock, 0.6, java.lang.Object held by io.rollotel.it.ProfiledProgram.holdLock",
    "socket, worker.ask, socket, 1, io.rollotel.it.ProfiledProgram.ask",
    "doze, worker.dozing, sleeping, 1, io.rollotel.it.ProfiledProgram.dozing"
  })
  void plantedWait_hasItsShareAndPlace(
      String work, String span, String activity, double share, String what) throws Exception {
    program(work).run().isClean();
    Map<String, Double> shares = shares(span);
    assertThat(shares.getOrDefault(activity, 0.0))
        .as("%s", shares)
        .isCloseTo(share, within(FIVE_POINTS));
    assertThat(sumOf(shares, activity + ": " + what))
        .as("%s", shares)
        .isCloseTo(share, within(FIVE_POINTS));
  }

  @Tag("campaign")
  @Test
  void collections_haveTheShareThatTheJvmMeasured() throws Exception {
    Result run = program("gc").jvmOptions("-XX:+UseSerialGC", "-Xmx128m").run().isClean();
    assertMeasured(run, "worker.gc");
  }

  @Test
  void writesToAFile_haveTheShareThatTheProgramMeasured() throws Exception {
    Result run = program("file", directory.resolve("data").toString()).run().isClean();
    assertMeasured(run, "worker.file");
  }

  private void assertMeasured(Result run, String span) throws Exception {
    String activity = run.lines().get(0).split(" ")[0];
    Map<String, Double> shares = shares(span);
    assertThat(shares.getOrDefault(activity, 0.0))
        .as("%s", shares)
        .isCloseTo(measured(run, activity), within(FIVE_POINTS));
  }

  /** Each waits while the thread works for the other. */
  @Tag("campaign")
  @Test
  void tasksOfTwoSpansOnOneThread_countToTheirSpans() throws Exception {
    Result run = program("pool").run().isClean();
    Map<String, Double> running = shares("running");
    Map<String, Double> napping = shares("napping");
    // On a busy machine the thread is not scheduled all the time, which a profile hardly shows.
    assertThat(sumOf(running, "running: io.rollotel.it.ProfiledProgram"))
        .as("%s", running)
        .isBetween(measured(run, "running") - FIVE_POINTS, measured(run, "burning") + FIVE_POINTS);
    assertThat(running.getOrDefault("sleeping", 0.0)).as("%s", running).isLessThan(FIVE_POINTS);
    assertThat(sumOf(napping, "sleeping: io.rollotel.it.ProfiledProgram.nap"))
        .as("%s", napping)
        .isCloseTo(measured(run, "sleeping"), within(FIVE_POINTS));
    assertThat(sumOf(napping, "running: io.rollotel.it.ProfiledProgram.burn"))
        .as("%s", napping)
        .isLessThan(FIVE_POINTS);
    Path collapsed = directory.resolve("tasks.txt");
    export("--collapsed", collapsed);
    assertThat(Files.readString(collapsed))
        .contains("ProfiledProgram.nap")
        .doesNotContain("RollOtelTo.run;");
  }

  private static double measured(Result run, String activity) {
    return run.lines().stream()
        .filter(line -> line.startsWith(activity + ' '))
        .mapToDouble(line -> Double.parseDouble(line.substring(activity.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  @Tag("campaign")
  @Test
  void methodThatReturnsAFuture_hasItsThreadsPartAndThatOfItsTasks() throws Exception {
    Result run = program("future").run().isClean();
    Map<String, Double> shares = shares("worker.future");
    assertThat(shares.getOrDefault("sleeping", 0.0))
        .as("%s", shares)
        .isCloseTo(1, within(FIVE_POINTS));
    assertThat(sumOf(shares, "sleeping: io.rollotel.it.ProfiledProgram.nap"))
        .as("%s", shares)
        .isCloseTo(measured(run, "sleeping"), within(FIVE_POINTS));
  }

  @Test
  void virtualThreads_areFoundByTheirIds() throws Exception {
    assumeThat(Runtime.version().feature()).isGreaterThanOrEqualTo(21);
    Result run = program("virtual").run().isClean();
    List<Span> spans =
        run.spans().stream().filter(span -> span.name().equals("worker.sleeping")).toList();
    assertThat(spans).hasSize(10_000);
    assertThat(spans.stream().map(span -> span.attributes().get("thread.id")).distinct())
        .hasSize(10_000);
    report().isClean();
  }

  @Test
  void profileIsOff_nothingIsRecordedAndNoSpanNamesItsThread() throws Exception {
    Result run =
        program("sleep").jvmOptions(NONE).environment("ROLL_OTEL_PROFILE", "off").run().isClean();
    assertThat(recordings()).isEmpty();
    assertThat(run.span("worker.sleeping").attributes()).doesNotContainKey("thread.id");
    assertThat(report().isClean().out()).doesNotContain("Why?");
  }

  @ParameterizedTest
  @ValueSource(strings = {"on", "10ms", "1"})
  void profileIsOn_oneFileIsRecordedAndTheReportSaysWhy(String choice) throws Exception {
    Result run = program("sleep").environment("ROLL_OTEL_PROFILE", choice).run().isClean();
    assertThat(recordings()).hasSize(1);
    assertThat(run.span("worker.sleeping").attributes())
        .containsEntry("thread.name", "main")
        .containsKey("thread.id");
    assertThat(report().isClean().out())
        .contains("Why? What threads did on the critical path, by the profile of 1 process:")
        .containsPattern("worker\\.sleeping +\\d+% sleeping: ProfiledProgram\\.sleeping");
  }

  @Test
  void settingIsNotUnderstood_isSaidAndNothingIsRecorded() throws Exception {
    Result run = program("sleep").jvmOptions(NONE).environment("ROLL_OTEL_PROFILE", "often").run();
    assertThat(run.err()).contains("ROLL_OTEL_PROFILE=often is not understood");
    assertThat(recordings()).isEmpty();
  }

  @Test
  void fileOfSettingsIsMissing_isSaidAndTheProgramRuns() throws Exception {
    Result run =
        program("sleep").jvmOptions(NONE).environment("ROLL_OTEL_PROFILE", "none.jfc").run();
    assertThat(run.exitCode()).isZero();
    assertThat(run.err()).contains("no profile: none.jfc cannot be read");
    assertThat(recordings()).isEmpty();
  }

  @Test
  void jvmWithoutFlightRecorder_isSaidAndTheProgramRuns() throws Exception {
    Result run =
        program("sleep").jvmOptions(NONE, "--limit-modules", "java.se,jdk.unsupported").run();
    assertThat(run.exitCode()).as("%s", run.err()).isZero();
    assertThat(run.err()).contains("no profile: this JVM has no Flight Recorder");
    assertThat(run.span("worker.sleeping").name()).isEqualTo("worker.sleeping");
  }

  /** Names of chunks are local times, and directories of chunks may change. */
  @ParameterizedTest
  @ValueSource(strings = {"zone", "move"})
  void chunksAreNamedOrPlacedAnew_theyAreReadAsWell(String how) throws Exception {
    program(how, directory.resolve("elsewhere").toString())
        .environment("TZ", "UTC")
        .run()
        .isClean();
    Map<String, Double> shares = shares("worker.sleeping");
    assertThat(shares.getOrDefault("sleeping", 0.0)).as("%s", shares).isGreaterThan(0.9);
  }

  @Test
  void programStopsEachRecording_isSaid() throws Exception {
    Result run = program("stopped").run();
    assertThat(run.exitCode()).isZero();
    assertThat(run.said())
        .singleElement()
        .asString()
        .contains("the profile ends: the application, or a command such as JFR.stop, has stopped");
    assertThat(recordings()).isNotEmpty();
  }

  /** Flight Recorder ends the JVM if it cannot write any more. */
  @ParameterizedTest
  @CsvSource({
    // The disk is nearly full from the start; it fills up while the program runs.
    "sleep, 8m, no profile",
    "fill, 40m, the profile ends"
  })
  void diskOfFlightRecorderIsNearlyFull_isSaidAndTheProgramRuns(
      String work, String size, String said) throws Exception {
    Path disk = Files.createDirectory(directory.resolve("disk"));
    assumeThat(mayMount(disk)).as("may mount").isTrue();
    String mount = "mount -t tmpfs -o size=" + size + " tmpfs \"$0\" && exec \"$@\"";
    Result run =
        program(work, disk.resolve("data").toString())
            .jvmOptions("-Djava.io.tmpdir=" + disk, "-Dprofile.none=" + work.equals("sleep"))
            .by(ownMounts("sh", "-c", mount, disk.toString()))
            .run();
    assertThat(run.exitCode()).as("%s", run.err()).isZero();
    assertThat(run.said())
        .singleElement()
        .asString()
        .contains(said + ": the disk of " + disk)
        .contains(" left, and Flight Recorder would end the JVM if it were full");
    assertThat(run.span("worker.sleeping").name()).isEqualTo("worker.sleeping");
  }

  private static boolean mayMount(Path disk) throws InterruptedException {
    List<String> mount = ownMounts("mount", "-t", "tmpfs", "tmpfs", disk.toString());
    try {
      return new ProcessBuilder(mount).start().waitFor() == 0;
    } catch (IOException noSuchCommand) {
      return false;
    }
  }

  /** The command sees mounts of its own. */
  private static List<String> ownMounts(String... command) {
    List<String> all = new ArrayList<>(List.of("unshare", "--mount", "--map-root-user"));
    all.addAll(List.of(command));
    return all;
  }

  @Test
  void recordingOfTheUsersOwn_goesOnBesideIt() throws Exception {
    Path own = directory.resolve("own.jfr");
    program("sleep").jvmOptions("-XX:StartFlightRecording:filename=" + own, "-Xlog:disable").run();
    assertThat(own).isNotEmptyFile();
    assertThat(recordings()).isNotEmpty(); // the end of the other recording begins another chunk
    assertThat(report().isClean().out()).contains("sleeping: ProfiledProgram.sleeping");
  }

  @Tag("campaign")
  @Test
  void processIsKilled_whatWasRecordedUntilThenIsRead() throws Exception {
    try (LiveProgram live = program("forever").start()) {
      live.await("= ready");
      Thread.sleep(4_000); // the chunk is read in seconds
      live.kill();
    }
    assertThat(recordings()).hasSize(1);
    Map<String, Double> shares = shares("worker.sleeping");
    double recorded = 1 - shares.getOrDefault("no-profile", 0.0);
    assertThat(recorded).as("%s", shares).isPositive(); // on a slow machine it begins late
    assertThat(shares.getOrDefault("sleeping", 0.0)).as("%s", shares).isGreaterThan(0.6 * recorded);
  }

  /** Of a truncated file, the readable part is read and the rest is reported. */
  @Tag("campaign")
  @Test
  void recordingsAreCutAnywhere_reportSaysItAndGoesOn() throws Exception {
    program("sleep").run().isClean();
    Path file = recordings().get(0);
    byte[] whole = Files.readAllBytes(file);
    Random random = new Random(26);
    for (int cut = 0; cut < Integer.getInteger("profile.cuts", 5); cut++) {
      byte[] part = Arrays.copyOf(whole, random.nextInt(whole.length));
      Files.write(file, part);
      Result report = report();
      assertThat(report.exitCode()).as("%d bytes: %s", part.length, report.err()).isZero();
      assertThat(report.err()).isEmpty();
      assertThat(report.out()).contains("worker.sleeping");
    }
  }
}
