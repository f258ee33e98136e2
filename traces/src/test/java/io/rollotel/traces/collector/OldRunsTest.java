package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.file.Retention;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OldRunsTest {

  private @TempDir Path directory;

  @Test
  void roundThatFails_isSaidOnceAndTheNextGoesOn() throws IOException {
    Path file = Files.createDirectory(directory.resolve("traces")).resolve("a.jsonl");
    Files.writeString(file, "{\"key\":\"roll.run_id\",\"value\":{\"stringValue\":\"old\"}}\n");
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(600)));
    List<String> said = new ArrayList<>();
    List<Long> removed = new ArrayList<>();
    List<RuntimeException> failures =
        new ArrayList<>(List.of(new IllegalStateException("1"), new IllegalStateException("2")));
    OldRuns old =
        new OldRuns(
            new Retention(directory, new Retention.Rules(1, 0), said::add),
            () -> {
              if (!failures.isEmpty()) {
                throw failures.remove(0);
              }
              return "young";
            },
            "here",
            removed::add,
            said::add);
    old.remove();
    old.remove();
    assertThat(said)
        .singleElement()
        .asString()
        .contains("removed later", "IllegalStateException: 1");
    old.remove();
    assertThat(file).doesNotExist();
    assertThat(said).hasSize(2).last().asString().startsWith("removed 1 run (old): ");
    assertThat(removed).hasSize(1);
  }
}
