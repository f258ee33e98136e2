package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.Engines;
import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.ProgramRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The documents' English, by the rules in {@code engines/prose}. */
@Tag("engines")
class ProseIT {

  @Test
  void everyDocument_keepsToTheRules() throws Exception {
    Path vale = Engines.folder("prose", "vale").resolve("vale");
    Path rules = ProgramRun.ROOT.resolve("engines/prose/vale.ini");
    List<String> command =
        new ArrayList<>(List.of(vale.toString(), "--config", rules.toString(), "--output", "line"));
    DocumentsTest.documents().map(Path::toString).forEach(command::add);
    Finished read = Finished.of(new ProcessBuilder(command));
    assertThat(read.out()).isEmpty();
    assertThat(read.exitCode()).as(read.toString()).isZero();
  }
}
