package io.rollotel.traces.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The tests of the page's scripts, which need no browser: Node.js runs them. */
@Tag("engines")
@Timeout(120)
class PageModulesIT {

  private static final Path TESTS = Path.of("src/test/node");

  static List<String> tests() throws IOException {
    try (Stream<Path> files = Files.list(TESTS)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".test.js"))
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("tests")
  void module_passesItsTests(String test) throws Exception {
    Process node =
        new ProcessBuilder("node", "--test", TESTS.resolve(test).toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(node.getInputStream().readAllBytes(), UTF_8);
    assertThat(node.waitFor()).as(output).isZero();
    assertThat(output).containsPattern("(?m)^# pass [1-9]").containsPattern("(?m)^# fail 0$");
  }
}
