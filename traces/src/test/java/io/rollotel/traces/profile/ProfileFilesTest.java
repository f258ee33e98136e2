package io.rollotel.traces.profile;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.otlp.Resource;
import io.rollotel.traces.spans.TracedProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProfileFilesTest {

  private @TempDir Path directory;

  /** The files of a process by what its agent names them. */
  @ParameterizedTest
  @CsvSource({
    "node1:332, node1-332.1.jfr", // host and process
    "mine, mine.1.jfr", // ROLL_OTEL_INSTANCE
    "reward-1:332, reward-1-node1-332.1.jfr", // a JVM below ROLL's worker
    "reward-1, reward-1-node1-332.1.jfr",
    "reward-1:333, ''",
    "reward-2:332, ''",
  })
  void recordings_areFoundByTheInstance(String instance, String file) throws Exception {
    Path profiles = Files.createDirectories(directory.resolve("profiles"));
    for (String name : List.of("node1-332", "mine", "reward-1-node1-332")) {
      Files.createFile(profiles.resolve(name + ".1.jfr"));
    }
    Path traces = Files.createDirectories(directory.resolve("traces")).resolve("traces.jsonl");
    Resource resource =
        new Resource(
            Map.of(
                "service.instance.id",
                instance,
                "host.name",
                "node1",
                "process.pid",
                pid(instance)));
    TracedProcess process = new TracedProcess(TracedProcess.key(resource), resource);
    assertThat(new ProfileFiles(List.of(traces)).of(process))
        .extracting(path -> path.getFileName().toString())
        .isEqualTo(file.isEmpty() ? List.of() : List.of(file));
  }

  private static String pid(String instance) {
    return instance.endsWith(":333") ? "333" : "332";
  }
}
