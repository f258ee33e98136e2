package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When the agent records a profile, and the line that it logs if it cannot. */
@Timeout(600)
class ProfileRecordingIT extends ProfileFixture {

  /** The program does not wait for a recording. */
  private static final String NONE = "-Dprofile.none=true";

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
                  .isBetween(Duration.ofMillis(290), Duration.ofSeconds(2));
            });
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

  /** As in a container whose root file system is read-only. */
  @Test
  void temporaryDirectoryIsReadOnly_isSaidWithTheRemedyAndTheProgramRuns() throws Exception {
    Path disk = Files.createDirectory(directory.resolve("disk"));
    assumeThat(mayMount(disk)).as("may mount").isTrue();
    String mount = "mount -t tmpfs -o ro tmpfs \"$0\" && exec \"$@\"";
    Result run =
        program("sleep")
            .jvmOptions("-Djava.io.tmpdir=" + disk, NONE)
            .by(ownMounts("sh", "-c", mount, disk.toString()))
            .run();
    run.isCleanBut(
        "no profile: Flight Recorder cannot write in " + disk + "; name another directory in -XX:");
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
