package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class RunIdSearchTest {

  private static String attribute(String run) {
    return "{\"key\":\"roll.run_id\",\"value\":{\"stringValue\":\"" + run + "\"}}";
  }

  private static Set<String> found(String text) throws IOException {
    Set<String> runs = new TreeSet<>();
    RunIdSearch.addTo(runs, new ByteArrayInputStream(text.getBytes(UTF_8)));
    return runs;
  }

  @Test
  void ids_areFoundWhereverTheyStand() throws IOException {
    assertThat(found("")).isEmpty();
    assertThat(found("\"roll.run_id\"")).isEmpty();
    assertThat(found(attribute("one"))).containsExactly("one");
    assertThat(found(attribute("one") + attribute("two") + attribute("one")))
        .containsExactly("one", "two");
    assertThat(found(attribute("a\\\"b"))).containsExactly("a\"b");
    assertThat(found(attribute("not ended").replace("\"}}", ""))).isEmpty();
    assertThat(found(attribute("x".repeat(5_000)))).isEmpty();
  }

  /** Around the place where one part of a file ends and the next begins. */
  @Test
  void idAcrossTwoParts_isFound() throws IOException {
    int whole = attribute("run").length();
    for (int before = (256 << 10) - 2 * whole; before < (257 << 10) + 2 * whole; before += 7) {
      assertThat(found("r".repeat(before) + attribute("run") + "r".repeat(300_000)))
          .as("%d bytes before", before)
          .containsExactly("run");
    }
  }
}
