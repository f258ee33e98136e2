package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.Patience;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code doctor} of the shipped jar: on this host, and on JVMs that run. */
class DoctorIT {

  private @TempDir Path directory;

  @Test
  void hostWhereAllIsWell_passesAndIsLeftAsItWas() throws Exception {
    Result result = doctor().run();

    assertThat(result.exitCode()).as(result.out()).isZero();
    assertThat(result.lines())
        .anyMatch(line -> line.startsWith("ok    java       Java "))
        .anyMatch(line -> line.equals("ok    agent      -javaagent:" + ProgramRun.AGENT))
        .anyMatch(line -> line.equals("ok    enabled    by environment"))
        .anyMatch(line -> line.startsWith("ok    output     " + directory.resolve("output/otlp")))
        .anyMatch(line -> line.startsWith("ok    otelcol    "))
        .anyMatch(line -> line.contains("the first traced JVM of the run collects the spans"))
        .contains(
            "ok    setting    ROLL_OTEL_ROLE=auto (default)",
            "ok    setting    ROLL_OTEL_KEEP_RUNS=all (default)",
            "ok    setting    ROLL_OTEL_THREADS=on (default)",
            "ok    setting    ROLL_OTEL_TLS_KEY=none (default)");
    assertThat(result.lines().get(result.lines().size() - 1)).isEqualTo("All checks passed.");
    assertThat(directory.resolve("output")).doesNotExist();
  }

  @Test
  void javaWithoutTheAttachModule_checksTheHostAllTheSame() throws Exception {
    Result result = doctor().jvmOptions("--limit-modules", "java.se").run();

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.lines())
        .anyMatch(line -> line.equals("ok    agent      -javaagent:" + ProgramRun.AGENT));
  }

  @Test
  void javaWithoutTheModuleOfAgents_fails() throws Exception {
    Path image = directory.resolve("image");
    Finished linked =
        Finished.of(
            new ProcessBuilder(
                Finished.jdk("jlink"), "--add-modules", "java.base", "--output", image.toString()));
    assertThat(linked.exitCode()).as(linked.out() + linked.err()).isZero();
    Finished result =
        Finished.of(
            new ProcessBuilder(
                    image.resolve("bin/java").toString(),
                    "-jar",
                    ProgramRun.AGENT.toString(),
                    "doctor")
                .directory(directory.toFile()));

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out().lines())
        .anyMatch(
            line -> line.startsWith("FAIL  java") && line.contains("no module java.instrument"))
        .last()
        .asString()
        .startsWith("Failed: java.");
  }

  @Test
  void javaWithoutAModuleThatTheCheckNeeds_saysSo() throws Exception {
    Result result =
        doctor()
            .jvmOptions("--limit-modules", "java.instrument")
            .environment("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
            .run();

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err().lines())
        .containsExactly(
            "This Java has no module java.logging, which this command needs. Use a JDK's.");
  }

  @Test
  void directoryThatTheJvmCannotName_failsAndTracingIsOff() throws Exception {
    // The child gets these bytes only if this JVM can write them.
    assumeThat(System.getProperty("sun.jnu.encoding")).isEqualToIgnoringCase("UTF-8");
    Result checked =
        doctor().environment("LC_ALL", "C").environment("ROLL_OTEL_OUTPUT_DIR", "läufe").run();
    Result run =
        ProgramRun.of(directory, PlainWorker.class)
            .environment("LC_ALL", "C")
            .environment("ROLL_OTEL_OUTPUT_DIR", "läufe")
            .run();

    assertThat(checked.exitCode()).as(checked.err()).isEqualTo(1);
    assertThat(checked.lines())
        .anyMatch(line -> line.startsWith("FAIL  output") && line.contains("LC_ALL=C.UTF-8"))
        .last()
        .asString()
        .startsWith("Failed: output.");
    assertThat(run.lines()).startsWith("sum 2");
    run.isCleanBut("tracing is off: the output directory ");
  }

  @Test
  void settings_areShownWithWhereTheyCameFromButNoSecrets() throws Exception {
    Result result =
        doctor("role=worker", "log=debug")
            .environment("ROLL_OTEL_LOG", "info")
            .environment("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc")
            .jvmOptions("-Droll.otel.no.context=root")
            .run();

    assertThat(result.lines())
        .contains(
            "ok    setting    ROLL_OTEL_ROLE=worker (argument)",
            "ok    setting    ROLL_OTEL_LOG=info (environment)",
            "ok    setting    ROLL_OTEL_NO_CONTEXT=root (property)",
            "ok    setting    otel.exporter.otlp.headers=(hidden) (environment)")
        .anyMatch(line -> line.startsWith("warn  export     a worker, and no driver collects in"))
        .anyMatch(line -> line.matches("Warnings: .*export.*\\."));
    assertThat(result.out()).doesNotContain("abc");
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void wrongValueOfTheCollector_isAWarningAndTheRoomForARunIsSaid() throws Exception {
    Result result =
        doctor()
            .environment("ROLL_OTEL_HTTP_PORT", "99999999")
            .environment("ROLL_OTEL_RUN_BYTES", "20m")
            .run();

    assertThat(result.exitCode()).as(result.out()).isZero();
    assertThat(result.lines())
        .anyMatch(line -> line.startsWith("warn  setting    ROLL_OTEL_HTTP_PORT=99999999"))
        .anyMatch(
            line ->
                line.startsWith("ok    output     " + directory.resolve("output/otlp"))
                    && line.contains("a run may write 20.0 MiB (ROLL_OTEL_RUN_BYTES)"));
  }

  @Test
  void endpointThatIsIgnored_isNotAsked() throws Exception {
    Result result =
        doctor()
            .environment("ROLL_OTEL_EXPORTER", "file")
            .environment("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
            .run();

    assertThat(result.exitCode()).as(result.out()).isZero();
    assertThat(result.lines())
        .contains(
            "ok    export     ROLL_OTEL_EXPORTER=file: each process writes a file of its own");
  }

  @Test
  void wrongValuesOfOpenTelemetry_failWithTheirCauses() throws Exception {
    Result result =
        doctor()
            .environment("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
            .environment("OTEL_TRACES_SAMPLER_ARG", "10")
            .environment("OTEL_PROPAGATORS", "b4")
            .run();

    assertThat(result.exitCode()).as(result.out()).isNotZero();
    assertThat(result.lines())
        .filteredOn(line -> line.startsWith("FAIL  otel "))
        .hasSize(2)
        .anyMatch(line -> line.contains("OTEL_TRACES_SAMPLER_ARG=10 is ignored"))
        .anyMatch(line -> line.contains("OTEL_PROPAGATORS=b4 is ignored"));
  }

  @Test
  void driverThatCollects_takesAnExport() throws Exception {
    try (LiveProgram driver = tracedWorker().start()) {
      driver.await("= ready");
      driver.ask("call");
      Path address = directory.resolve("output/otlp/traces/.driver");
      // The driver's collector starts in the background.
      Patience.until(
          () -> "the driver's address is there",
          driver.handle(),
          () -> Files.exists(address) && Files.readString(address).contains("endpoint"));
      Result result = doctor().run();
      assertThat(result.lines())
          .anyMatch(
              line -> line.matches("ok    export     http://127.0.0.1:\\d+/v1/traces accepted .*"))
          .anyMatch(
              line ->
                  line.matches(
                      "ok    collector  \\d+ requests accepted, \\d+ spans written, 0 requests refused"))
          .contains("ok    clock      agrees with that of the collector's host to within a second");
      assertThat(result.exitCode()).isZero();
      driver.end();
    }
  }

  @Test
  void tracedJvm_givesItsAccount() throws Exception {
    try (LiveProgram program = tracedWorker().start()) {
      program.await("= ready");
      Result before = doctor("--pid", program.pid()).run();
      program.ask("hold");
      Result after = doctor("--pid", program.pid()).run();

      String hold = "AttachedWorker.hold(Payload, CountDownLatch)";
      assertThat(before.exitCode()).as(before.err()).isZero();
      assertThat(before.lines().get(0))
          .startsWith(program.pid() + ": declared ")
          .contains(", failed 0, ");
      assertThat(before.lines())
          .anyMatch(line -> line.contains("never called:") && line.endsWith(hold));
      assertThat(after.lines()).noneMatch(line -> line.endsWith(hold));
      assertThat(after.lines()).last().asString().contains("traces go to " + directory);
      program.ask("release");
      program.end();
    }
  }

  @Test
  void jvmThatIsNotTraced_isLeftAloneAndFails() throws Exception {
    try (LiveProgram program =
        ProgramRun.of(directory, AttachedWorker.class)
            .withoutEnvironment("ROLL_OTEL_ENABLED")
            .withoutAgent()
            .start()) {
      program.await("= ready");
      Result result = doctor("--pid", program.pid()).run();
      assertThat(result.exitCode()).isEqualTo(1);
      assertThat(result.err()).contains("tracing is not on");
      assertThat(program.end()).as("nothing was loaded there").isEmpty();
    }
  }

  @Test
  void settingsForAJvmThatRuns_areWrongUsage() throws Exception {
    assertThat(doctor("--pid", "1", "log=info").run().exitCode()).isEqualTo(2);
  }

  private ProgramRun doctor(String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "doctor";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return ProgramRun.of(directory, PlainWorker.class).withoutAgent().jar(ProgramRun.AGENT, all);
  }

  private ProgramRun tracedWorker() {
    return ProgramRun.of(directory, AttachedWorker.class)
        .jvmOptions("-XX:+EnableDynamicAgentLoading");
  }
}
