package io.rollotel.traces.profile;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.PlantedProfile;
import io.rollotel.traces.report.FindingRow;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.ReportWriter;
import io.rollotel.traces.report.RunReport;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

  @Test
  void report_saysWhyByTheProfile() throws Exception {
    assertThat(text(report())).contains("by the profile of 3 processes:").contains("% GC pauses");
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

  /** What the JDK's parser makes of damaged files is not foreseeable. */
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
