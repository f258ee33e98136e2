package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Links between the documents lead somewhere, and the README stays short. */
class DocumentsTest {

  private static final int MOST_LINES_OF_README = 150;

  private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^```.*?^```");
  private static final Pattern LINK =
      Pattern.compile("\\]\\((?!https?:)([^)#\\s]*)(?:#([^)\\s]*))?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

  static Stream<Path> documents() throws IOException {
    try (Stream<Path> root = Files.list(ProgramRun.ROOT);
        Stream<Path> docs = Files.list(ProgramRun.ROOT.resolve("docs"))) {
      return Stream.concat(root, docs)
          .filter(file -> file.toString().endsWith(".md"))
          .sorted()
          .toList()
          .stream();
    }
  }

  @ParameterizedTest
  @MethodSource("documents")
  void everyLink_leadsSomewhere(Path document) throws IOException {
    for (MatchResult link : LINK.matcher(text(document)).results().toList()) {
      Path target = document.resolveSibling(link.group(1)).normalize();
      if (link.group(1).isEmpty()) {
        target = document;
      }
      assertThat(target).as(link.group()).exists();
      if (link.group(2) != null) {
        assertThat(anchors(target)).as(link.group()).contains(link.group(2));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("documents")
  void everyDocument_isReachedFromTheReadme(Path document) throws IOException {
    Path readme = ProgramRun.ROOT.resolve("README.md");
    String name = document.getFileName().toString();
    Set<String> direct = targets(readme);
    boolean isReached = direct.contains(name) || document.equals(readme);
    for (String next : direct) {
      Path from = ProgramRun.ROOT.resolve("docs").resolve(next);
      isReached |= Files.exists(from) && targets(from).contains(name);
    }
    assertThat(isReached).as(name).isTrue();
  }

  @Test
  void readme_isShort() throws IOException {
    assertThat(Files.readAllLines(ProgramRun.ROOT.resolve("README.md")))
        .hasSizeLessThanOrEqualTo(MOST_LINES_OF_README);
  }

  /** Names of the documents to which one has links. */
  private static Set<String> targets(Path document) throws IOException {
    return LINK.matcher(text(document))
        .results()
        .map(link -> Path.of(link.group(1)).getFileName().toString())
        .filter(name -> name.endsWith(".md"))
        .collect(Collectors.toSet());
  }

  /** As they are made from headings where Markdown is shown. */
  private static Set<String> anchors(Path document) throws IOException {
    return HEADING
        .matcher(text(document))
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  private static String text(Path document) throws IOException {
    return CODE_BLOCK.matcher(Files.readString(document)).replaceAll("");
  }
}
