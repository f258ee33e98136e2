package io.rollotel.traces.spans;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process that invents a run id although it belongs to another run. */
class JoinedRunsTest {

  private final List<io.rollotel.traces.otlp.Span> planted = new ArrayList<>();
  private long trace;
  private long id;

  /**
   * Plants traces: {@code 3*A>B,py} are three, whose root is A's and which have a span of B's and
   * one of a process without an id; {@code ?} in place of the root: it was lost.
   */
  private void plant(String traces) {
    for (String part : traces.split(" ")) {
      int times = Integer.parseInt(part.substring(0, part.indexOf('*')));
      String[] ends = part.substring(part.indexOf('*') + 1).split(">");
      for (int i = 0; i < times; i++) {
        trace++;
        long root = ++id;
        if (!ends[0].equals("?")) {
          span(root, 0, ends[0]);
        }
        for (String guest : ends.length == 1 ? new String[0] : ends[1].split(",")) {
          span(++id, root, guest);
        }
      }
    }
  }

  private void span(long spanId, long parent, String member) {
    Planted one = new Planted(member.startsWith("py") ? "" : member);
    one.span(trace, spanId, parent, "work", member + "@node", 10 * trace, 10 * trace + 5);
    planted.addAll(one.spans());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "workers with ids of their own     | 4*D>v,w               | D+v+w:12",
        "the driver has no id              | 4*py>v,w              | v+w:12",
        "and calls one worker at a time    | 3*py>v 3*py>w         | v+w:12",
        "and has traces of its own         | 3*py>v 3*py           | v:9",
        "a worker has traces of its own    | 5*D>w 20*w            | D+w:30",
        "a worker of a worker              | 3*D>v,w 3*v>w         | D+v+w:15",
        "each other's guests               | 3*A>B 3*B>A           | A+B:12",
        "the roots are lost                | 4*?>v,w 2*?>w,v       | v+w:12",
        "Python in Java's trace            | 3*A>py 2*B            | A:6 B:2",
        "no trace in common                | 2*A 3*B               | A:2 B:3",
        "no id at all                      | 2*py1 1*py2 2*A       | -:3 A:2",
        "one stray span                    | 9*A 9*B 1*A>B         | A+B:11 B:9",
        "two short runs and a stray span   | 2*A 1*B 1*A>B         | A+B:4 B:1",
        "a service of two runs             | 9*A>S 9*B>S 5*S       | A+S:18 B+S:18 S:5",
        "the same without an id            | 9*A>py 9*B>py 5*py    | -:5 A:18 B:18",
        "a service of one run              | 9*A>S 500*S           | A+S:518",
        "a service that was asked once     | 1*A>S 500*S           | A+S:2 S:500",
      })
  void processesThatShareTraces_areOneRun(String situation, String traces, String runs) {
    plant(traces);
    for (int seed = 0; seed < 5; seed++) {
      Collections.shuffle(planted, new Random(seed));
      Spans spans = new Spans();
      planted.forEach(spans::add);
      spans.joinRuns();
      spans.joinRuns();
      Map<String, Integer> found = new TreeMap<>();
      for (int i = 0; i < spans.size(); i++) {
        String run = spans.runs().text(spans.run(i));
        String with = String.join("+", spans.joinedRuns(spans.run(i)));
        found.merge(with.isEmpty() ? run : run + "+" + with, 1, Integer::sum);
      }
      assertThat(found.toString().replace("=", ":"))
          .as(situation)
          .isEqualTo("{" + runs.replace(" ", ", ") + "}");
    }
  }
}
