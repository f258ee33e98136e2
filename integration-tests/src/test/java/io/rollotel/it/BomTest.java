package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The bill of materials names what is shipped, in the version of the build. */
class BomTest {

  /** What nobody depends on: the readers within the agent's jar, and what is not shipped. */
  private static final List<String> INSIDE =
      List.of(
          "roll-otel-traces",
          "roll-otel-examples",
          "roll-otel-integration-tests",
          "roll-otel-benchmarks");

  private static List<String> found(String pattern, Path pom) throws IOException {
    return Pattern.compile(pattern)
        .matcher(Files.readString(pom))
        .results()
        .map(MatchResult::group)
        .map(element -> element.replaceAll("<[^>]*>", ""))
        .toList();
  }

  @Test
  void bom_namesEachArtifactThatIsShipped() throws IOException {
    Path parent = ProgramRun.ROOT.resolve("pom.xml");
    Path bom = ProgramRun.ROOT.resolve("bom/pom.xml");
    String version = "<version>[^<]*</version>";
    assertThat(found(version, bom).get(0)).isEqualTo(found(version, parent).get(0));
    List<String> shipped =
        found("<module>[^<]*</module>", parent).stream()
            .map(module -> "roll-otel-" + module)
            .filter(artifact -> !INSIDE.contains(artifact))
            .filter(artifact -> !artifact.equals("roll-otel-bom"))
            .toList();
    assertThat(found("<artifactId>[^<]*</artifactId>", bom).stream().skip(1))
        .containsExactlyInAnyOrderElementsOf(shipped);
  }
}
