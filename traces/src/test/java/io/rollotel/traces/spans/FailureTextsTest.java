package io.rollotel.traces.spans;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FailureTextsTest {

  /** Some patterns with few texts, one with the most that are kept, one with more. */
  private static List<String> texts() {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < FailureTexts.MOST_VARIANTS + 200; i++) {
      texts.add("no such id: " + i);
      texts.add("no such id: " + i / 2);
      texts.add("port " + i % FailureTexts.MOST_VARIANTS + " refused");
      texts.add("host" + i % 7 + " is gone");
      texts.add(i % 3 == 0 ? "" : "disk full");
    }
    return texts;
  }

  private static List<String> shown(FailureTexts failures, List<String> texts) {
    return texts.stream().map(text -> failures.text(failures.number(text))).toList();
  }

  private static FailureTexts of(List<String> texts) {
    FailureTexts failures = new FailureTexts();
    texts.forEach(failures::number);
    return failures;
  }

  @Test
  void textsOfAPatternWithTooMany_areThePattern() {
    List<String> texts = texts();
    List<String> expected =
        texts.stream()
            .map(text -> text.startsWith("no such") ? "no such id: #" : text)
            .collect(Collectors.toList());
    assertThat(shown(of(texts), texts)).isEqualTo(expected);
  }

  @Test
  void numberGivenBeforeThereWereTooMany_isThePatternToo() {
    FailureTexts failures = new FailureTexts();
    int early = failures.number("no such id: 1");
    assertThat(failures.isPatternOnly(early)).isFalse();
    assertThat(failures.text(early)).isEqualTo("no such id: 1");
    texts().forEach(failures::number);
    assertThat(failures.isPatternOnly(early)).isTrue();
    assertThat(failures.text(early)).isEqualTo("no such id: #");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void anyOrderAndGrouping_keepsTheSame(long seed) {
    Random random = new Random(seed);
    List<String> texts = texts();
    List<String> shuffled = new ArrayList<>(texts);
    Collections.shuffle(shuffled, random);
    FailureTexts sum = new FailureTexts();
    for (int from = 0, to; from < shuffled.size(); from = to) {
      to = Math.min(shuffled.size(), from + 1 + random.nextInt(shuffled.size()));
      sum.take(of(shuffled.subList(from, to)));
    }
    assertThat(shown(sum, texts)).isEqualTo(shown(of(texts), texts));
  }

  @Test
  void moreTextsThanMemoryIsFor_haveTheirPatternsOrNone() {
    FailureTexts failures = new FailureTexts();
    failures.number("first 1");
    for (int i = 0; i < 120_000; i++) {
      failures.number(inLetters(i));
    }
    assertThat(failures.text(failures.number("another text"))).isEmpty();
    assertThat(failures.text(failures.number("first 1"))).isEqualTo("first 1");
    assertThat(failures.text(failures.number("first 2"))).isEqualTo("first #");
  }

  /** Each a pattern of its own. */
  private static String inLetters(int number) {
    StringBuilder letters = new StringBuilder("no ");
    for (int rest = number; rest > 0; rest /= 16) {
      letters.append((char) ('h' + rest % 16));
    }
    return letters.toString();
  }
}
