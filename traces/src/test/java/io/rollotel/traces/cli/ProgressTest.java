package io.rollotel.traces.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressTest {

  private static final long MB = 1_000_000;

  private final StringWriter text = new StringWriter();
  private long nowNanos = 17;

  private Progress progress(Progress.Unit unit, boolean isTerminal) {
    return new Progress(unit, new PrintWriter(text, true), isTerminal, () -> nowNanos);
  }

  private void pass(long millis) {
    nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private String printed() {
    String printed = text.toString().replace(System.lineSeparator(), "\n");
    text.getBuffer().setLength(0);
    return printed;
  }

  @Test
  void terminal_hasOneLineThatIsOverwrittenAndTakenAway() {
    Progress progress = progress(Progress.Unit.READ, true);
    pass(400);
    progress.read(10 * MB, 200 * MB);
    assertThat(printed()).as("not for what is over at once").isEmpty();
    pass(600);
    progress.read(50 * MB, 200 * MB);
    String first = " 25%  read 50 of 200 MB, 50 MB/s, 3 s left";
    assertThat(printed()).isEqualTo("\r" + first);
    pass(100);
    progress.read(60 * MB, 200 * MB);
    assertThat(printed()).isEmpty();
    pass(900);
    progress.read(150 * MB, 200 * MB);
    assertThat(printed()).isEqualTo("\r 75%  read 150 of 200 MB, 75 MB/s, 1 s left");
    progress.end();
    assertThat(printed()).isEqualTo("\r" + " ".repeat(first.length() + 1) + "\r");
  }

  @Test
  void shorterLine_leavesNothingOfTheLongerOne() {
    Progress progress = progress(Progress.Unit.SENT, true);
    pass(500);
    progress.reached(5, 1_000_000);
    String first = "  0%  sent 5 of 1,000,000 spans, 10 spans/s, 27h 46m left";
    assertThat(printed()).isEqualTo("\r" + first);
    pass(500);
    progress.reached(500_000, 1_000_000);
    String second = " 50%  sent 500,000 of 1,000,000 spans, 500,000 spans/s, 1 s left";
    assertThat(printed()).isEqualTo("\r" + second);
    pass(500);
    progress.reached(600_000, 0);
    assertThat(printed())
        .startsWith("\rsent 600,000 spans, 400,000 spans/s  ")
        .hasSize(1 + second.length());
  }

  @Test
  void fileOrPipe_hasALineAtTheEndAndOneEachTenSeconds() {
    Progress progress = progress(Progress.Unit.READ, false);
    pass(9_000);
    progress.read(90 * MB, 400 * MB);
    assertThat(printed()).isEmpty();
    pass(1_000);
    progress.read(100 * MB, 400 * MB);
    assertThat(printed()).isEqualTo("25%  read 100 of 400 MB, 10 MB/s, 30 s left\n");
    pass(30_000);
    progress.read(400 * MB, 400 * MB);
    printed();
    progress.end();
    assertThat(printed()).isEqualTo("read 400 MB in 40 s, 10 MB/s\n");
  }

  @Test
  void workThatIsSoonOver_isNotTalkedAbout() {
    Progress progress = progress(Progress.Unit.WRITTEN, false);
    pass(1_900);
    progress.reached(1_000, 1_000);
    progress.end();
    assertThat(printed()).isEmpty();
  }

  @Test
  void lessThanAMegabyte_isNotTalkedAbout() {
    Progress progress = progress(Progress.Unit.READ, false);
    pass(2_500);
    progress.read(MB - 1, MB - 1);
    progress.end();
    assertThat(printed()).isEmpty();
  }

  @Test
  void nextDirectory_beginsAgain() {
    Progress progress = progress(Progress.Unit.READ, true);
    pass(1_000);
    progress.read(100 * MB, 100 * MB);
    printed();
    pass(10);
    progress.read(1 * MB, 50 * MB);
    assertThat(printed()).matches("\r +\r");
    pass(1_000);
    progress.read(10 * MB, 50 * MB);
    assertThat(printed()).isEqualTo("\r 20%  read 10 of 50 MB, 10 MB/s, 4 s left");
  }
}
