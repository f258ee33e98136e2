package io.rollotel.processor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One fixture, one situation. A comment in the fixture holds the expected message for its line:
 * {@code // ERROR rule: start of the text}. Without a rule it is the compiler's own message:
 * javac's and, after a bar, ecj's. Other messages are not allowed. {@code // OPTIONS:} are the
 * compiler's, {@code // KEEPS:} names rules that could seem broken and are not.
 */
class FixturesTest {

  private static final Path FIXTURES = Path.of("src/test/resources/fixtures");
  private static final Pattern EXPECTED =
      Pattern.compile("// (ERROR|WARNING)(?: ([a-z-]+))?: (.*)$");
  private static final Pattern OPTIONS = Pattern.compile("// OPTIONS: (.*)");
  private static final Pattern KEEPS = Pattern.compile("// KEEPS: (.*)");

  private @TempDir Path output;

  /** A line of a fixture. */
  private record Expected(String lineAndKind, String rule, String text) {

    boolean isSaidBy(String said, Compiler compiler) {
      String[] words = text.split(" \\| ", 2);
      String own = words[words.length == 2 && compiler == Compiler.ECJ ? 1 : 0];
      return said.startsWith(lineAndKind + ": " + own)
          && (rule.isEmpty() || said.endsWith(" [roll-otel:" + rule + "]"));
    }
  }

  static Stream<Path> fixtures() throws IOException {
    try (Stream<Path> files = Files.list(FIXTURES)) {
      return files.sorted().toList().stream();
    }
  }

  static Stream<Arguments> fixturesByCompiler() throws IOException {
    return fixtures()
        .flatMap(
            fixture ->
                Arrays.stream(Compiler.values())
                    .map(compiler -> Arguments.of(fixture.getFileName(), compiler)));
  }

  @ParameterizedTest
  @MethodSource("fixturesByCompiler")
  void fixture_saysWhatItsCommentsSay(Path name, Compiler compiler) throws Exception {
    Path fixture = FIXTURES.resolve(name);
    List<String> said =
        compiler.compile(output, options(fixture), List.of(fixture)).stream()
            .sorted(Comparator.comparingInt(one -> Integer.parseInt(one.split(" ", 2)[0])))
            .toList();
    List<Expected> expected = expected(fixture);
    assertThat(said).as(expected.toString()).hasSameSizeAs(expected);
    for (int i = 0; i < expected.size(); i++) {
      Expected one = expected.get(i);
      assertThat(said.get(i)).matches(words -> one.isSaidBy(words, compiler), one.toString());
    }
  }

  @Test
  void everyRule_hasAFixtureThatBreaksItAndOneThatKeepsIt() throws IOException {
    Set<Rule> broken = EnumSet.noneOf(Rule.class);
    Set<Rule> kept = EnumSet.noneOf(Rule.class);
    for (Path fixture : fixtures().toList()) {
      expected(fixture).stream()
          .filter(expected -> !expected.rule.isEmpty())
          .forEach(expected -> broken.add(rule(expected.rule)));
      if (expected(fixture).isEmpty()) {
        headers(KEEPS, fixture).forEach(code -> kept.add(rule(code)));
      }
    }
    assertThat(broken).containsExactly(Rule.values());
    assertThat(kept).containsExactly(Rule.values());
  }

  @Test
  void everyRule_isDocumented() throws IOException {
    String documented = Files.readString(Path.of("../docs/rules.md"));
    String listed = Files.readString(Path.of("../docs/annotate.md"));
    for (Rule rule : Rule.values()) {
      String code = rule.code().substring("roll-otel:".length());
      assertThat(documented)
          .contains("| `" + code + "` | " + (rule.isWarning() ? "warning" : "error") + " |");
      assertThat(listed).contains("`" + code + "`");
    }
  }

  /** Each key in the table of attributes in docs/concepts.md, and nothing else. */
  @Test
  void reservedKeys_areThoseThatTheDocumentsName() throws IOException {
    String concepts = Files.readString(Path.of("../docs/concepts.md"));
    List<String> keys =
        concepts
            .lines()
            .filter(line -> line.matches(".*\\| (worker span|resource) \\|.*"))
            .flatMap(
                line -> Pattern.compile("`([a-z_.]+)`").matcher(line.split("\\|")[1]).results())
            .map(match -> match.group(1))
            .filter(key -> !key.startsWith(AttributeRules.RESERVED_PREFIX))
            .toList();
    assertThat(keys).containsExactlyInAnyOrderElementsOf(AttributeRules.RESERVED);
  }

  private static Rule rule(String code) {
    return Rule.valueOf(code.replace('-', '_').toUpperCase(Locale.ROOT));
  }

  private static List<Expected> expected(Path fixture) throws IOException {
    List<Expected> expected = new ArrayList<>();
    List<String> lines = Files.readAllLines(fixture);
    for (int i = 0; i < lines.size(); i++) {
      Matcher matcher = EXPECTED.matcher(lines.get(i));
      if (matcher.find()) {
        String rule = matcher.group(2) == null ? "" : matcher.group(2);
        expected.add(new Expected((i + 1) + " " + matcher.group(1), rule, matcher.group(3)));
      }
    }
    return expected;
  }

  private static List<String> options(Path fixture) throws IOException {
    return headers(OPTIONS, fixture).toList();
  }

  private static Stream<String> headers(Pattern header, Path fixture) throws IOException {
    return header
        .matcher(Files.readString(fixture))
        .results()
        .map(MatchResult::group)
        .flatMap(line -> Stream.of(line.split(" ")).skip(2));
  }
}
