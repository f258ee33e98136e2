package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every test that docs/compatibility.md names is there. */
class CompatibilityTest {

  private static final Pattern TEST = Pattern.compile("`(\\w+(?:IT|Test))\\.(\\w+)`");

  @Test
  void everyTestThatTheTableNames_exists() throws IOException {
    Path root = Path.of("..");
    List<MatchResult> named =
        TEST.matcher(Files.readString(root.resolve("docs/compatibility.md"))).results().toList();
    Map<String, String> sources = new TreeMap<>();
    for (String module :
        List.of(
            "agent", "processor", "telemetry", "traces", "parquet", "spark", "integration-tests")) {
      try (Stream<Path> files = Files.walk(root.resolve(module).resolve("src/test/java"))) {
        for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
          sources.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
        }
      }
    }
    assertThat(named).hasSizeGreaterThan(40);
    assertThat(named)
        .allSatisfy(
            test ->
                assertThat(sources.getOrDefault(test.group(1), ""))
                    .as(test.group())
                    .contains("void " + test.group(2) + "("));
  }
}
