package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.Engines;
import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.Launched;
import io.rollotel.it.kit.ProgramRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The documents as a site. */
@Tag("engines")
class SiteIT {

  private static final Path SITE = ProgramRun.ROOT.resolve("engines/site");

  /** For those who work on roll-otel: the search leads to the pages for users. */
  private static final Set<String> FOR_DEVELOPERS =
      Set.of("CHANGELOG.md", "CONTRIBUTING.md", "RATIONALE.md");

  private @TempDir Path out;

  @Test
  void everyDocument_isAPageThatIsFoundAndReached() throws Exception {
    Engines.python("site", SITE.resolve("requirements.txt"));
    Finished built =
        Finished.of(
            Launched.clean(new ProcessBuilder(SITE.resolve("build").toString(), out.toString())));
    assertThat(built.exitCode()).as(built.toString()).isZero();
    String search = Files.readString(out.resolve("search.json"));
    String navigation = Files.readString(SITE.resolve("mkdocs.yml"));
    List<String> names =
        DocumentsTest.documents()
            .map(document -> document.getFileName().toString())
            .map(name -> name.equals("README.md") ? "index.md" : name)
            .toList();
    for (String name : names) {
      String page = name.replace(".md", ".html");
      assertThat(out.resolve(page)).exists();
      if (FOR_DEVELOPERS.contains(name)) {
        assertThat(search).doesNotContain("\"" + page);
      } else {
        assertThat(search).contains("\"" + page + "\"");
      }
      assertThat(navigation).contains(": " + name);
    }
    // Nothing is loaded from other hosts.
    assertThat(Files.readString(out.resolve("index.html")))
        .doesNotContainPattern("(?:src|href)=\"https?://(?!zensical\\.org)");
  }
}
