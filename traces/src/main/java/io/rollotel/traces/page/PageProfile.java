package io.rollotel.traces.page;

import io.rollotel.traces.profile.Activity;
import io.rollotel.traces.profile.Frame;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.ProfileRows;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What the threads of spans did: for each name on the critical path, and for each name in each
 * process, the time by activity and a tree of the methods that ran.
 */
final class PageProfile {

  private static final int FRAME_TEXT = 160;

  private record Tree(ProfileRows.Row row, ProfileTree tree) {}

  private final ProfileRows profile;
  private final Spans spans;
  private final PageNumbers numbers;
  private final int mostNodes;
  private final Map<String, Integer> frames = new LinkedHashMap<>();
  private int nodes;

  /**
   * A profile.
   *
   * @param mostNodes how many nodes all trees may have together; where they would have more with
   *     lines, they have none
   */
  PageProfile(ProfileRows profile, Spans spans, PageNumbers numbers, int mostNodes) {
    this.profile = profile;
    this.spans = spans;
    this.numbers = numbers;
    this.mostNodes = mostNodes;
  }

  void write(JsonRows json) {
    List<Tree> detailed = trees(true);
    boolean hasLines = size(detailed) <= mostNodes;
    List<Tree> trees = hasLines ? detailed : trees(false);
    int onPath = profile.path().size();
    json.object(
        "profile",
        () ->
            json.put("processes", profile.processes())
                .texts(
                    "activities", List.of(Activity.values()).stream().map(Activity::words).toList())
                .rows("path", trees.subList(0, onPath), tree -> row(json, tree))
                .rows("names", trees.subList(onPath, trees.size()), tree -> row(json, tree))
                .put("leftOut", nodes > mostNodes)
                .put("linesLeftOut", !hasLines)
                .texts("frames", frames.keySet()));
  }

  /** Those of the critical path first. */
  private List<Tree> trees(boolean areWithLines) {
    return Stream.concat(profile.path().stream(), profile.names().stream())
        .map(row -> new Tree(row, new ProfileTree(row.breakdown(), areWithLines)))
        .toList();
  }

  private static int size(List<Tree> trees) {
    return trees.stream().mapToInt(tree -> tree.tree.size()).sum();
  }

  private void row(JsonRows json, Tree tree) {
    ProfileRows.Row row = tree.row;
    json.put("name", numbers.name(row.name().number()));
    TracedProcess process = row.process();
    if (process != null) {
      json.put("worker", numbers.worker(spans.processes().indexOf(process)));
    }
    json.array(
            "activities",
            () -> {
              for (ProfileRows.ActivityRow activity : row.activities()) {
                json.arrayElement(
                    () -> json.numbers(number(activity.activity()), Math.round(activity.nanos())));
              }
            })
        .array("nodes", () -> below(json, tree.tree.root(), -1, 0));
  }

  private static int number(Activity activity) {
    return List.of(Activity.values()).indexOf(activity);
  }

  /**
   * Each node as four numbers: its caller's place, its frame, its line, its own time.
   *
   * @param placed how many nodes of the tree are written
   * @return how many are now
   */
  private int below(JsonRows json, ProfileTree.Node caller, int place, int placed) {
    int reached = placed;
    for (Map.Entry<Frame, ProfileTree.Node> below : caller.below.entrySet()) {
      if (++nodes <= mostNodes) {
        String text = PageTags.cut(below.getKey().method(), FRAME_TEXT);
        int frame = frames.computeIfAbsent(text, none -> frames.size());
        json.numbers(place, frame, below.getKey().line(), Math.round(below.getValue().nanos));
        reached = below(json, below.getValue(), reached, reached + 1);
      }
    }
    return reached;
  }
}
