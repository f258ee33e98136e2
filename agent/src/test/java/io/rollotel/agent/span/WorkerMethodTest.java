package io.rollotel.agent.span;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;

final class WorkerMethodTest {

  /** Of HotSpot, on every processor. */
  private static final int FREQ_INLINE_SIZE = 325;

  private static final Pattern START =
      Pattern.compile(
          "private java.lang.Object start\\(boolean, .*?\\n\\s+Exception table:", Pattern.DOTALL);

  private static final Pattern INSTRUCTION = Pattern.compile("\\n\\s+(\\d+): ");

  @Test
  void startOfACall_isTooLongToBeCopiedIntoItsCallers() {
    StringWriter listing = new StringWriter();
    int status =
        ToolProvider.findFirst("javap")
            .orElseThrow()
            .run(
                new PrintWriter(listing),
                new PrintWriter(System.err),
                "-p",
                "-c",
                "-cp",
                "target/classes",
                WorkerMethod.class.getName());
    assertThat(status).isZero();
    Matcher start = START.matcher(listing.toString());
    assertThat(start.find()).isTrue();
    int last = 0;
    for (Matcher at = INSTRUCTION.matcher(start.group()); at.find(); ) {
      last = Integer.parseInt(at.group(1));
    }
    assertThat(last).isBetween(FREQ_INLINE_SIZE, 2 * FREQ_INLINE_SIZE);
  }
}
