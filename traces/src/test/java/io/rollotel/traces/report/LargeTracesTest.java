package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Shapes of which there are many in one trace: a report takes seconds. If its time grew with the
 * square of their number, it would take minutes.
 */
@Tag("campaign")
@Timeout(60)
class LargeTracesTest {

  private final Planted planted = new Planted().inUnitsOf(1000);

  private ReportContents contents() {
    return PlantedContents.of(planted);
  }

  /** Each message sends the next one and ends, before or after that one begins. */
  private void chain(long parent, int length, int takes) {
    long above = parent;
    for (int i = 0; i < length; i++) {
      String process = "w" + i % 10;
      above =
          planted.span(
              1, above, "handle", process, i * 10L, i * 10L + takes, "kind", Span.CONSUMER);
    }
  }

  @Test
  void messageThatSendsTheNextOne_isItsOwnTraceWithoutAStep() {
    chain(0, 250_000, 9);
    assertThat(contents().header().spans()).isEqualTo(250_000);
  }

  @Test
  void messageThatSendsTheNextOne_isOnThePathOfItsStep() {
    int length = 130_000;
    long step = planted.span(1, 0, "pipeline_step", "driver", 0, length * 10L);
    chain(step, length, 9);
    ReportContents contents = contents();
    assertThat(contents.path().names().get(0).name().text()).isEqualTo("handle");
    assertThat(contents.path().names().get(0).share()).isEqualTo(0.9);
  }

  @Test
  void messagesThatOverlapWithTheNextOne_areOnThePathOfTheirStep() {
    int length = 130_000;
    long step = planted.span(1, 0, "pipeline_step", "driver", 0, (length + 1) * 10L);
    chain(step, length, 15);
    assertThat(contents().path().names().get(0).name().text()).isEqualTo("handle");
  }

  @Test
  void callsWithinCalls_areOnThePathOfStepsThatOverlap() {
    int depth = 100_000;
    for (int step = 0; step < 3; step++) {
      int start = step * depth;
      int end = start + 2 * depth + 1;
      long above = planted.span(1 + step, 0, "pipeline_step", "driver", start, end);
      for (int i = 0; i < depth; i++) {
        above = planted.span(1 + step, above, "f", "w" + i % 4, start + i, end - i);
      }
    }
    assertThat(contents().path().names().get(0).name().text()).isEqualTo("f");
  }

  @Test
  void sendersWithinSenders_areOnThePathOfTheirStep() {
    int depth = 300_000;
    long above = planted.span(1, 0, "pipeline_step", "driver", 0, 2L * depth + 2);
    for (int i = 1; i <= depth; i++) {
      above = planted.span(1, above, "send", "driver", i, 2L * depth - i, "kind", Span.PRODUCER);
    }
    assertThat(contents().path().names().get(0).name().text()).isEqualTo("send");
  }

  @Test
  void namesThatOutliveTheirStep_haveAFindingEach() {
    long step = planted.span(1, 0, "pipeline_step", "driver", 0, 1000);
    for (int i = 0; i < 100_000; i++) {
      planted.span(1, step, "save " + i, "w", 500, 2000);
    }
    assertThat(contents().findings()).hasSizeGreaterThan(100_000);
  }

  @Test
  void services_haveTheirShareOfTheTimeOfARoot() {
    long root = planted.span(1, 0, "GET /x", "web", 0, 60_000);
    for (int i = 0; i < 60_000; i++) {
      StringBuilder letters = new StringBuilder();
      Integer.toString(i).chars().forEach(digit -> letters.append((char) (digit - '0' + 'a')));
      planted.span(1, root, "query", letters.toString(), i, i + 1);
    }
    ReportContents.RootRow row = contents().roots().get(0);
    assertThat(row.services()).hasSize(60_000);
    assertThat(row.services().get(0).selfShare()).isEqualTo(1.0 / 60_000);
  }
}
