package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.it.kit.RayCluster;
import io.rollotel.it.kit.RayHosts;
import io.rollotel.it.kit.RayProgram;
import io.rollotel.traces.otlp.Span;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ray on two hosts: a driver on one, its workers on the other, which sees no file of it. */
@Tag("engines")
class RayHostsIT {

  private static final long START_MILLIS = System.currentTimeMillis();

  /** What {@code Calls.elsewhere} calls there: an actor's constructor, its methods, a function. */
  private static final int CALLS = 22;

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
    Result result = driver(where).run();
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
  void driverThatIsToListenOnLoopback_isMissedInWordsAtBothEnds() throws Exception {
    Path where = Files.createDirectory(drivers.resolve("loopback"));
    Result result = driver(where).environment("ROLL_OTEL_COLLECTOR_HOST", "127.0.0.1").run();
    assertThat(result.lines()).as(result.err()).contains("elsewhere: 252");
    assertThat(RayProgram.joined(where)).filteredOn(span -> span.kind() == 5).isEmpty();
    assertThat(report(where)).contains(CALLS + " calls have no execution in these files");
    String file = where.resolve("output/otlp/traces").toString();
    assertThat(hosts.saidOnSecond())
        .filteredOn(line -> line.contains(file))
        .as("one line of each worker")
        .hasSize(2)
        .allMatch(line -> line.contains("finds no collector: its spans go to " + file + "/second-"))
        .allMatch(line -> line.endsWith(".jsonl on second"));
  }

  /** An endpoint where nobody listens: of the user's, so it holds. */
  @Test
  void endpointOfTheUsers_isWhereWorkersSendAndTheyGetNoTokenOfOurs() throws Exception {
    Path where = Files.createDirectory(drivers.resolve("given"));
    Result result =
        driver(
                where,
                "-Dray.job.runtime-env.env-vars.OTEL_EXPORTER_OTLP_ENDPOINT=http://10.77.0.1:9")
            .run();
    assertThat(result.lines()).as(result.err()).contains("elsewhere: 252");
    assertThat(RayProgram.joined(where)).filteredOn(span -> span.kind() == 5).isEmpty();
    assertThat(hosts.saidOnSecond())
        .filteredOn(line -> line.contains("cannot deliver spans to http://10.77.0.1:9"))
        .hasSize(2)
        .allMatch(line -> line.endsWith(".jsonl on second"));
  }

  private static ProgramRun driver(Path where, String... job) throws Exception {
    return calls.driver(hosts.address(), where, true, List.of(job), "elsewhere").by(hosts.head());
  }

  private static String report(Path where) throws Exception {
    return ProgramRun.of(where, Payload.class)
        .withoutAgent()
        .withoutEnvironment("ROLL_OTEL_ENABLED")
        .jar(ProgramRun.AGENT, "report", where.resolve("output/otlp").toString())
        .run()
        .out();
  }

  /** Lines that look as if they held it. */
  private static List<String> token(List<String> lines) {
    return lines.stream().filter(line -> line.matches("(?i).*(bearer|[0-9a-f]{32}).*")).toList();
  }
}
