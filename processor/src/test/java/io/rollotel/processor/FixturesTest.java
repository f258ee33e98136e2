package io.rollotel.processor;

import static com.google.testing.compile.Compiler.javac;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import com.google.testing.compile.JavaFileObjects;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One fixture, one situation. What the compiler must say stands in the fixture, as a comment on the
 * line it must say it of: {@code // ERROR: part of the text}. Nothing else may be said.
 */
class FixturesTest {

  private static final Path FIXTURES = Path.of("src/test/resources/fixtures");
  private static final Pattern EXPECTED = Pattern.compile("// (ERROR|WARNING): (.*)$");

  static Stream<Path> fixtures() throws IOException {
    try (Stream<Path> files = Files.list(FIXTURES)) {
      return files.sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void fixture_saysWhatItsCommentsSay(Path fixture) throws IOException {
    Compilation compilation =
        javac()
            .withProcessors(new RegisterProcessor())
            .withOptions("-Xlint:all,-processing", "-implicit:none")
            .compile(JavaFileObjects.forResource(fixture.toUri().toURL()));

    List<String> said = new ArrayList<>();
    for (Diagnostic<?> diagnostic : compilation.diagnostics()) {
      said.add(
          diagnostic.getLineNumber()
              + " "
              + diagnostic.getKind()
              + ": "
              + diagnostic.getMessage(Locale.ROOT));
    }
    List<String> expected = new ArrayList<>();
    List<String> lines = Files.readAllLines(fixture);
    for (int i = 0; i < lines.size(); i++) {
      Matcher matcher = EXPECTED.matcher(lines.get(i));
      if (matcher.find()) {
        expected.add((i + 1) + " " + matcher.group(1) + ": " + matcher.group(2));
      }
    }
    assertThat(said).hasSameSizeAs(expected);
    for (int i = 0; i < expected.size(); i++) {
      assertThat(said.get(i)).startsWith(expected.get(i));
    }
  }
}
