package io.rollotel.traces.page;

import io.rollotel.traces.profile.Activity;
import io.rollotel.traces.profile.Frame;
import io.rollotel.traces.profile.RunProfile;
import io.rollotel.traces.profile.SpanProfile;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.ProfileRows;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The activity of spans' threads: for each name on the critical path, and for each name in each
 * process, the time by activity and a tree of the methods that ran. The times by step are a
 * separate column of numbers.
 */
final class PageProfile {

  private static final int FRAME_TEXT = 160;

  /** The maximum number of nodes of all trees; if they have more, line numbers are left out. */
  private static final int NODES_PER_CALL = 10;

  /** How many times by step there may be, for each possible node. */
  private static final int STEPS_PER_NODE = 10;

  private record Tree(ProfileRows.Row row, ProfileTree tree) {}

  private final ProfileRows profile;
  private final ReportContents contents;
  private final Spans spans;
  private final PageNumbers numbers;
  private final PageLimits limits;
  private final int mostNodes;
  private final Map<String, Integer> frames = new LinkedHashMap<>();
  private int nodes;
  private boolean areNodesLeftOut;
  private boolean areLinesLeftOut;

  PageProfile(
      ProfileRows profile, ReportContents contents, PageNumbers numbers, PageLimits limits) {
    this.profile = profile;
    this.contents = contents;
    this.spans = contents.totals().spans();
    this.numbers = numbers;
    this.limits = limits;
    this.mostNodes = limits.calls() * NODES_PER_CALL;
  }

  /**
   * Writes it.
   *
   * @param other a run to compare with; null for none
   */
  void write(JsonRows json, @Nullable ReportContents other) {
    List<Tree> trees = trees(profile);
    boolean hasSteps = contents.steps().all().size() > 1;
    boolean areStepsKnown = hasSteps && addSteps(trees);
    json.object(
        "profile",
        () -> {
          json.put("processes", profile.processes())
              .texts(
                  "activities", List.of(Activity.values()).stream().map(Activity::words).toList());
          PageBytes byStep = new PageBytes();
          rows(json, profile, trees, byStep);
          if (areStepsKnown) {
            json.put("byStep", byStep.base64());
          }
          ProfileRows ofOther = other == null ? null : other.profile();
          if (other != null && ofOther != null) {
            json.object("other", () -> other(json, other, ofOther));
          }
          json.put("leftOut", areNodesLeftOut)
              .put("linesLeftOut", areLinesLeftOut)
              .put("stepsLeftOut", hasSteps && !areStepsKnown)
              .texts("frames", frames.keySet());
        });
  }

  private void other(JsonRows json, ReportContents other, ProfileRows of) {
    json.put("run", PageTags.cut(other.header().runId(), FRAME_TEXT))
        .put("steps", other.steps().all().size());
    nodes = 0;
    rows(json, of, trees(of), new PageBytes());
  }

  private void rows(JsonRows json, ProfileRows of, List<Tree> trees, PageBytes byStep) {
    int onPath = of.path().size();
    json.rows("path", trees.subList(0, onPath), tree -> row(json, tree, byStep))
        .rows("names", trees.subList(onPath, trees.size()), tree -> row(json, tree, byStep));
  }

  /** Those of the critical path first; with lines if there is room for them. */
  private List<Tree> trees(ProfileRows of) {
    List<Tree> detailed = trees(of, true);
    boolean hasLines = size(detailed) <= mostNodes;
    areLinesLeftOut |= !hasLines;
    return hasLines ? detailed : trees(of, false);
  }

  private static List<Tree> trees(ProfileRows of, boolean areWithLines) {
    return Stream.concat(of.path().stream(), of.names().stream())
        .map(row -> new Tree(row, new ProfileTree(row.breakdown(), areWithLines)))
        .toList();
  }

  private static int size(List<Tree> trees) {
    return trees.stream().mapToInt(tree -> tree.tree.size()).sum();
  }

  /**
   * Adds the activity in each step.
   *
   * @return false if that exceeds the page's room, or some steps are not in memory
   */
  private boolean addSteps(List<Tree> trees) {
    SpanProfile all = profile.source().spans();
    if (all == null) {
      return false;
    }
    Map<List<Integer>, ProfileTree> known = new HashMap<>();
    for (Tree tree : trees) {
      TracedProcess process = tree.row.process();
      int number = process == null ? -1 : spans.processes().indexOf(process);
      known.put(List.of(tree.row.name().number(), number), tree.tree);
    }
    int perBar = PageSteps.perBar(contents.steps().all().size(), limits);
    int[] left = {mostNodes * STEPS_PER_NODE};
    all.forEachStep(
        (step, path, names) -> {
          for (RunProfile.Part part : Stream.concat(path.stream(), names.stream()).toList()) {
            ProfileTree tree = known.get(List.of(part.name(), part.process()));
            left[0] -= tree == null ? 0 : tree.addStep(step / perBar, part.breakdown());
          }
          return left[0] >= 0;
        });
    return left[0] >= 0;
  }

  private void row(JsonRows json, Tree tree, PageBytes byStep) {
    ProfileRows.Row row = tree.row;
    json.put("name", number(row)).put("spans", row.breakdown().spans());
    TracedProcess process = row.process();
    if (process != null) {
      json.put("worker", numbers.worker(spans.processes().indexOf(process)));
    }
    bars(tree.tree.bars(), byStep);
    json.array(
            "activities",
            () -> {
              for (ProfileRows.ActivityRow activity : row.activities()) {
                json.arrayElement(
                    () -> json.numbers(number(activity.activity()), Math.round(activity.nanos())));
              }
            })
        .array("nodes", () -> below(json, tree.tree.root(), -1, 0, byStep));
  }

  /** The place of a row's name among those on the page, -1 if this run has no such spans. */
  private int number(ProfileRows.Row row) {
    int name = spans.names().find(row.name().text());
    return name < 0 ? -1 : numbers.name(name);
  }

  /** The place of an activity among those on the page. */
  static int number(Activity activity) {
    return List.of(Activity.values()).indexOf(activity);
  }

  /** Their number; for each, its distance from the previous one, its spans, and their activity. */
  private static void bars(List<ProfileTree.Bar> bars, PageBytes byStep) {
    byStep.add(bars.size());
    int next = 0;
    for (ProfileTree.Bar bar : bars) {
      byStep.add(bar.number - next);
      byStep.add(bar.spans);
      byStep.add(bar.nanos.size());
      bar.nanos.forEach(
          (activity, nanos) -> {
            byStep.add(number(activity));
            byStep.add(Math.round(nanos / 1e3));
          });
      next = bar.number + 1;
    }
  }

  /**
   * Each node as four numbers: its caller's place, its frame, its line, its own time.
   *
   * @param placed how many nodes of the tree have been written
   * @return the new number
   */
  private int below(
      JsonRows json, ProfileTree.Node caller, int place, int placed, PageBytes byStep) {
    int reached = placed;
    for (Map.Entry<Frame, ProfileTree.Node> below : caller.below.entrySet()) {
      if (++nodes > mostNodes) {
        areNodesLeftOut = true;
      } else {
        String text = PageTags.cut(below.getKey().method(), FRAME_TEXT);
        int frame = frames.computeIfAbsent(text, none -> frames.size());
        json.numbers(place, frame, below.getKey().line(), Math.round(below.getValue().nanos));
        below.getValue().byBar.write(byStep);
        reached = below(json, below.getValue(), reached, reached + 1, byStep);
      }
    }
    return reached;
  }
}
