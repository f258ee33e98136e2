package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.Manifest;
import io.rollotel.it.kit.ProgramRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What removes old files beside the collector of {@code deploy/collector/collector.yaml}. */
class OldestFilesIT {

  private static final int MIB = 1 << 20;

  private @TempDir Path directory;

  @Test
  void moreThanTheVolumeIsToKeep_losesTheOldestCompleteFilesAlone() throws Exception {
    Path active = plant("traces/traces.jsonl", 1);
    Path ofAProcess = plant("traces/actor-Trainer.jsonl", 1);
    Path unfinished = plant("traces/traces-2026-11-22T08-00-00.000.jsonl.gz.part", 1);
    Path oldest = plant("traces/traces-2026-11-23T08-00-00.000.jsonl", 2);
    Path next = plant("metrics/metrics-2026-11-23T09-00-00.000.jsonl.gz", 3);
    Path newest = plant("traces/traces-2026-11-24T08-00-00.000.jsonl", 4);

    Manifest container =
        Manifest.of(ProgramRun.ROOT.resolve("deploy/collector/collector.yaml"), "Deployment")
            .in("spec.template.spec.containers.1");
    List<String> command = new ArrayList<>(container.command(container.environment(Map.of())));
    command.replaceAll(word -> word.replace("/traces", directory.toString()));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(Map.of("KEEP_MIB", "4", "EVERY_SECONDS", "0.1"));
    try (LiveProgram program = LiveProgram.of(builder)) {
      program.await("removed " + oldest);
      program.await("removed " + next);
      assertThat(List.of(active, ofAProcess, unfinished, newest)).allMatch(Files::exists);
      assertThat(program.said()).hasSize(2);
    }
  }

  /** A file of a little less than a MiB, so that a directory's own blocks do not matter. */
  private Path plant(String name, int day) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    byte[] bytes = new byte[MIB - (64 << 10)];
    new Random(day).nextBytes(bytes); // a file system that compresses cannot
    Files.write(file, bytes);
    Files.setLastModifiedTime(file, FileTime.fromMillis(day * 86_400_000L));
    return file;
  }
}
