package io.rollotel.traces.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.PlantedProfile;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reports on runs with recordings of Flight Recorder, in memory and in parts. */
class ProfiledReportTest {

  private @TempDir Path dir;
  private Path run;

  @BeforeEach
  void plant() throws Exception {
    run = Files.createDirectory(dir.resolve("run"));
    PlantedProfile.slowByGarbage(run);
  }

  private static CommandRun report(Path run, String... options) {
    List<String> arguments = new ArrayList<>(List.of("report", run.toString()));
    arguments.addAll(Arrays.asList(options));
    return CommandRun.of(arguments.toArray(String[]::new));
  }

  private CommandRun inParts(Path run, String... options) {
    List<String> more = new ArrayList<>(Arrays.asList(options));
    more.addAll(List.of("--cache", dir.resolve("cache").toString()));
    return report(run, more.toArray(String[]::new));
  }

  /** The slow worker may be on a host whose clock is off. */
  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({"--width=100, 0", "--json, 0", "--json, 3_000_000_000", "--json, -3_000_000_000"})
  void profileOfARunInParts_saysTheSame(String option, String aheadNanos) throws Exception {
    PlantedProfile.slowByGarbage(run, Long.parseLong(aheadNanos.replace("_", "")));
    CommandRun whole = report(run, option);
    assertThat(whole.out()).contains("GC pauses");
    CommandRun parts = inParts(run, option);
    assertThat(parts.out()).isEqualTo(whole.out());
    assertThat(parts.code()).isZero();
  }

  @Tag("campaign")
  @Test
  void comparisonOfRunsInParts_saysWhyAsWell() throws Exception {
    Path quick = Files.createDirectory(dir.resolve("quick"));
    Path slow = Files.createDirectory(dir.resolve("slow"));
    PlantedProfile.napping(quick, "quick", 5);
    PlantedProfile.napping(slow, "slow", 250);
    CommandRun whole = report(slow, "--against", quick.toString());
    assertThat(whole.out()).contains("Why? By the profiles of both runs").contains("sleeping");
    assertThat(inParts(slow, "--against", quick.toString()).out()).isEqualTo(whole.out());
  }

  @Test
  void recordingsForWhichTheHeapIsTooSmall_areLeftOutAndThatIsSaid() throws Exception {
    try (RandomAccessFile large =
        new RandomAccessFile(run.resolve("profiles/actor1.2.jfr").toFile(), "rw")) {
      large.setLength(Runtime.getRuntime().maxMemory()); // takes no disk
    }
    CommandRun parts = inParts(run);
    assertThat(parts.code()).isZero();
    assertThat(parts.out()).startsWith("Run profiled").doesNotContain("GC pauses");
    assertThat(parts.err())
        .containsPattern("The recordings have .*: the profile is left out[.] .* java -Xmx\\d+g");
  }
}
