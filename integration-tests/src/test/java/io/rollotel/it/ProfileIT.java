package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The shares that the profile reports of programs whose work is known. */
@Timeout(600)
@Tag("alone")
class ProfileIT extends ProfileFixture {

  /** The tolerance for a share. */
  private static final double FIVE_POINTS = 0.05;

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
}
