package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.it.kit.RayCluster;
import io.rollotel.it.kit.RayHosts;
import io.rollotel.it.kit.RayProgram;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.recording.Recording;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ray on two hosts: a driver on one, its workers on the other, which cannot see its files. */
@Tag("engines")
class RayHostsIT {

  private static final long START_MILLIS = System.currentTimeMillis();

  /** What {@code Calls.elsewhere} calls there: an actor's constructor, its methods, a function. */
  private static final int CALLS = 22;

  /** A host may have to start a JVM, on a machine that has other work to do. */
  private static final String PATIENCE = "60";

  private static @TempDir Path directory;
  private static RayProgram calls;
  private static Path drivers;
  private static RayHosts hosts;

  @BeforeAll
  static void start() throws Exception {
    calls = RayProgram.compiled(directory);
    drivers = Files.createDirectory(directory.resolve("drivers"));
    hosts = RayHosts.start(drivers);
  }

  @AfterAll
  static void stop() throws Exception {
    if (hosts != null) {
      hosts.close();
    }
    RayCluster.deleteLibraries(START_MILLIS);
  }

  @Test
  void workersOfAnotherHost_reachTheDriverWithoutASetting() throws Exception {
    Path where = Files.createDirectory(drivers.resolve("unset"));
    Result result = driver(where, List.of(), "elsewhere").run();
    assertThat(result.lines()).as(result.err()).contains("elsewhere: 252");
    List<Span> spans = RayProgram.joined(where);
    assertThat(spans)
        .filteredOn(span -> span.kind() == 5)
        .hasSize(CALLS)
        .allMatch(span -> span.resource().text("host.name").equals(RayHosts.SECOND));
    assertThat(spans).filteredOn(span -> span.kind() == 4).hasSize(CALLS);
    assertThat(report(where)).doesNotContain("no execution");
    assertThat(token(hosts.saidOnSecond())).as("nobody says the token").isEmpty();
  }

  @Test
  void ownFilesOfAnotherHost_comeHome() throws Exception {
    Path where = Files.createDirectory(drivers.resolve("loopback"));
    Result result =
        driver(where, List.of(), "elsewhere")
            .environment("ROLL_OTEL_COLLECTOR_HOST", "127.0.0.1")
            .environment("ROLL_OTEL_EXIT_TIMEOUT", PATIENCE)
            .environment("ROLL_OTEL_LOG", "debug")
            .run();
    assertThat(result.lines()).as(result.err()).contains("elsewhere: 252");
    String file = where.resolve("output/otlp/traces").toString();
    assertThat(hosts.saidOnSecond())
        .filteredOn(line -> line.contains(file) && line.contains("finds no collector"))
        .as("one line of each worker")
        .hasSize(2)
        .allMatch(line -> line.contains("finds no collector: its spans go to " + file + "/second-"))
        .allMatch(line -> line.endsWith(".jsonl on second"));
    assertThat(result.said())
        .contains(
            "[roll-otel] 1 other hosts of this Ray job are asked for the run's files",
            "[roll-otel] 2 files of the run arrived from host second");
    List<Span> spans = RayProgram.joined(where);
    assertThat(spans)
        .filteredOn(span -> span.kind() == 5)
        .hasSize(CALLS)
        .allMatch(span -> span.resource().text("host.name").equals(RayHosts.SECOND));
    assertThat(spans).noneMatch(span -> span.name().contains("RayHook"));
    assertThat(report(where)).doesNotContain("no execution");
    assertThat(where.resolve("output/otlp/traces"))
        .isDirectoryNotContaining(name -> name.toString().contains(".home-"));
  }

  @Test
  void profilesOfAnotherHost_comeHomeAndTheReportSaysWhy() throws Exception {
    Path where = Files.createDirectory(drivers.resolve("profiled"));
    Result result =
        driver(where, List.of(), "slowElsewhere")
            .environment("ROLL_OTEL_PROFILE", "on")
            .environment("ROLL_OTEL_EXIT_TIMEOUT", PATIENCE)
            .run();
    assertThat(result.lines()).as(result.err()).contains("slowElsewhere: 3160");
    assertThat(where.resolve("output/otlp/profiles"))
        .isDirectoryContaining("glob:**/head-*.jfr")
        .isDirectoryContaining("glob:**/" + RayHosts.SECOND + "-*.jfr");
    assertThat(RayProgram.joined(where))
        .filteredOn(span -> span.kind() == 5)
        .allMatch(span -> span.attributes().containsKey("thread.id"));
    assertThat(report(where))
        .contains("Why? What threads did on the critical path, by the profile of 2 processes:")
        .as("a profile that starts late has what it lacks in the row's first line")
        .containsPattern(
            "Actor\\.slow +\\d+% (without a profile\\R +\\d+% )?sleeping: Calls\\$Actor\\.slow");
  }

  @Test
  void exitThatMayTakeNoTime_asksNoHost() throws Exception {
    Path where = Files.createDirectory(drivers.resolve("at-once"));
    Result result =
        driver(where, List.of(), "elsewhere")
            .environment("ROLL_OTEL_COLLECTOR_HOST", "127.0.0.1")
            .environment("ROLL_OTEL_EXIT_TIMEOUT", "0")
            .environment("ROLL_OTEL_LOG", "debug")
            .run();
    assertThat(result.lines()).as(result.err()).contains("elsewhere: 252");
    assertThat(result.said()).isNotEmpty().noneMatch(line -> line.contains("other hosts"));
    assertThat(RayProgram.joined(where)).filteredOn(span -> span.kind() == 5).isEmpty();
    assertThat(report(where)).contains(CALLS + " calls have no execution in these files");
  }

  /** An endpoint where nobody listens. The user has set it, so it applies. */
  @Test
  void endpointOfTheUsers_isWhereWorkersSendAndTheyGetNoTokenOfOurs() throws Exception {
    Path where = Files.createDirectory(drivers.resolve("given"));
    Result result =
        driver(
                where,
                List.of(
                    "-Dray.job.runtime-env.env-vars.OTEL_EXPORTER_OTLP_ENDPOINT=http://10.77.0.1:9"),
                "elsewhere")
            .environment("ROLL_OTEL_EXIT_TIMEOUT", PATIENCE)
            .run();
    assertThat(result.lines()).as(result.err()).contains("elsewhere: 252");
    // The last span may still be on its way to the endpoint when its host is asked for files.
    assertThat(RayProgram.joined(where))
        .filteredOn(span -> span.kind() == 5)
        .hasSizeBetween(CALLS - 1, CALLS);
    assertThat(hosts.saidOnSecond())
        .filteredOn(line -> line.contains("cannot deliver spans to http://10.77.0.1:9"))
        .hasSize(2)
        .allMatch(line -> line.endsWith(".jsonl on second"));
  }

  @Test
  void actorKilledOnAnotherHost_isInTheReportWithWhatItHadNotSent() throws Exception {
    Path where = Files.createDirectory(drivers.resolve("killed"));
    Result result =
        driver(where, List.of(), "killedElsewhere")
            .environment("OTEL_BSP_SCHEDULE_DELAY", "600000")
            .environment("ROLL_OTEL_EXIT_TIMEOUT", PATIENCE)
            .environment("ROLL_OTEL_LOG", "debug")
            .run();
    assertThat(result.lines()).as(result.err()).contains("killedElsewhere: RayActorException");
    List<Span> spans = RayProgram.joined(where);
    assertThat(spans)
        .filteredOn(span -> span.name().equals("worker.worker"))
        .as(result.err())
        .allMatch(span -> span.resource().text("host.name").equals(RayHosts.SECOND))
        .filteredOn(span -> span.attributes().containsKey(Recording.RECOVERED))
        .as("after the last task that ended, %s", result.err())
        .isNotEmpty();
    assertThat(report(where)).contains("open spans").contains("worker.busyAlone").contains("dead");
    assertThat(command(where, "open").lines())
        .anyMatch(line -> line.contains("Actor") && line.contains("dead"))
        .anyMatch(line -> line.contains("worker.busyAlone"));
  }

  /** Without a collector, each worker there has a file of its own. */
  @Test
  void pythonDriver_hasTheFilesOfAnotherHostAtItsEnd() throws Exception {
    Path where = Files.createDirectory(drivers.resolve("python"));
    Path output = where.resolve("output/otlp");
    String script =
        ProgramRun.ROOT.resolve("integration-tests/src/test/python/hosts.py").toString();
    String arguments =
        Json.text(
            Map.of(
                "address",
                hosts.address(),
                "package",
                ProgramRun.ROOT.resolve("python/src").toString()));
    List<String> command = new ArrayList<>(hosts.head());
    command.add(RayCluster.engine().resolve("python/bin/python").toString());
    command.addAll(List.of("-B", script, arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(where.toFile());
    RayCluster.clean(builder).environment().put("ROLL_OTEL_ENABLED", "1");
    builder.environment().put("ROLL_OTEL_OUTPUT_DIR", output.toString());
    builder.environment().put("ROLL_OTEL_EXIT_TIMEOUT", PATIENCE);
    Finished driver = Finished.of(builder).isWell();
    assertThat(driver.out()).contains("seven: 7");
    assertThat(driver.err()).doesNotContain("[roll-otel]");
    assertThat(RayProgram.joined(where))
        .as(driver.err())
        .extracting(Span::name)
        .contains("hosts.seven ray.remote_worker", "Stays.__init__ ray.remote_worker")
        .noneMatch(name -> name.contains("_host_files"));
    assertThat(report(where)).contains("Stays.busy").contains("dead");
    assertThat(command(where, "open")).contains("Stays.busy").contains("dead");
    assertThat(output.resolve("traces")).isDirectoryContaining("glob:**/second*.jsonl");
  }

  private static ProgramRun driver(Path where, List<String> job, String shape) throws Exception {
    return calls.driver(hosts.address(), where, true, job, shape).by(hosts.head());
  }

  private static String report(Path where) throws Exception {
    return command(where, "report");
  }

  private static String command(Path where, String command) throws Exception {
    return ProgramRun.of(where, Payload.class)
        .withoutAgent()
        .withoutEnvironment("ROLL_OTEL_ENABLED")
        .jar(ProgramRun.AGENT, command, where.resolve("output/otlp").toString())
        .run()
        .out();
  }

  /** Lines that look as if they contained it. */
  private static List<String> token(List<String> lines) {
    return lines.stream().filter(line -> line.matches("(?i).*(bearer|[0-9a-f]{32}).*")).toList();
  }
}
