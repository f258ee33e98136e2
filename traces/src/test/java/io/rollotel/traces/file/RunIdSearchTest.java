package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunIdSearchTest {

  private static String attribute(String run) {
    return "{\"key\":\"roll.run_id\",\"value\":{\"stringValue\":\"" + run + "\"}}";
  }

  private static Set<String> found(String text) throws IOException {
    return search(text).ids();
  }

  private static NamedRuns search(String text) throws IOException {
    return RunIdSearch.in(new ByteArrayInputStream(text.getBytes(UTF_8)));
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
      String parts =
          "r".repeat(before)
              + attribute("run")
              + start("1700000000000000000")
              + "r".repeat(300_000);
      assertThat(search(parts))
          .as("%d bytes before", before)
          .isEqualTo(new NamedRuns(Set.of("run"), 1_700_000_000_000_000_000L));
    }
  }

  private static String start(String nanos) {
    return "\"startTimeUnixNano\":\"" + nanos + "\"";
  }

  @ParameterizedTest
  @CsvSource({
    "1700000000000000000, 1700000000000000001, 1700000000000000000",
    "1700000000000000001, 1700000000000000000, 1700000000000000000",
    "0, 1700000000000000000, 1700000000000000000",
    "3600000000000, 1700000000000000000, 1700000000000000000",
    "18446744073709551615, 1700000000000000000, 1700000000000000000",
    "text, 1700000000000000000, 1700000000000000000",
  })
  void firstStart_isTheEarliestThatIsATime(String one, String two, long first) throws IOException {
    assertThat(search(start(one) + start(two)).firstStartNanos()).isEqualTo(first);
  }

  @Test
  void startThatTheEndCutsOff_isUnknown() throws IOException {
    assertThat(search(start("1700000000000000000").replace("0\"", "0")).firstStartNanos())
        .isEqualTo(NamedRuns.UNKNOWN);
  }
}
