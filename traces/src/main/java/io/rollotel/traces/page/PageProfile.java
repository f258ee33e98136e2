package io.rollotel.traces.page;

import io.rollotel.traces.profile.Activity;
import io.rollotel.traces.profile.Breakdown;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.ProfileRows;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the threads of spans did: for each name on the critical path, and for each name in each
 * process, the time by activity and a tree of the methods that ran. Frames of the JDK above the
 * application's first are left out.
 */
final class PageProfile {

  private static final int FRAME_TEXT = 160;

  private static final class Node {
    final Map<String, Node> below = new LinkedHashMap<>();
    double nanos;

    Node below(String frame) {
      return below.computeIfAbsent(frame, none -> new Node());
    }
  }

  private final ProfileRows profile;
  private final Spans spans;
  private final PageNumbers numbers;
  private final int mostNodes;
  private final Map<String, Integer> frames = new LinkedHashMap<>();
  private int nodes;

  /**
   * A profile.
   *
   * @param mostNodes how many nodes all trees may have together
   */
  PageProfile(ProfileRows profile, Spans spans, PageNumbers numbers, int mostNodes) {
    this.profile = profile;
    this.spans = spans;
    this.numbers = numbers;
    this.mostNodes = mostNodes;
  }

  void write(JsonRows json) {
    json.object(
        "profile",
        () -> {
          json.put("processes", profile.processes())
              .texts(
                  "activities", List.of(Activity.values()).stream().map(Activity::words).toList())
              .rows("path", profile.path(), row -> row(json, row))
              .rows("names", profile.names(), row -> row(json, row))
              .put("leftOut", nodes > mostNodes)
              .texts("frames", frames.keySet());
        });
  }

  private void row(JsonRows json, ProfileRows.Row row) {
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
        .array("nodes", () -> nodes(json, row.breakdown()));
  }

  /** The place of an activity among those on the page. */
  static int number(Activity activity) {
    return List.of(Activity.values()).indexOf(activity);
  }

  /** Each node as three numbers: its caller's place, its frame, its own time. */
  private void nodes(JsonRows json, Breakdown breakdown) {
    Node root = new Node();
    breakdown.forEachStack((methods, nanos) -> add(root, withoutPlatform(methods), nanos));
    for (Activity activity : breakdown.activities()) {
      if (activity != Activity.RUNNING) {
        Node waited = root.below("[" + activity.words() + "]");
        double left = breakdown.nanos(activity);
        for (Breakdown.Detail detail : breakdown.details(activity)) {
          if (!detail.what().isEmpty()) {
            waited.below(detail.what()).nanos += detail.nanos();
            left -= detail.nanos();
          }
        }
        waited.nanos += Math.max(0, left);
      }
    }
    List<long[]> placed = new ArrayList<>();
    place(root, -1, placed);
    for (long[] node : placed) {
      json.numbers(node);
    }
  }

  private static void add(Node root, List<String> methods, double nanos) {
    Node at = root;
    for (String method : methods) {
      at = at.below(method);
    }
    at.nanos += nanos;
  }

  private static List<String> withoutPlatform(List<String> methods) {
    int first = 0;
    while (first < methods.size() - 1 && Breakdown.isPlatform(methods.get(first))) {
      first++;
    }
    return methods.subList(first, methods.size());
  }

  private void place(Node of, int caller, List<long[]> placed) {
    of.below.forEach(
        (frame, node) -> {
          if (++nodes <= mostNodes) {
            int number =
                frames.computeIfAbsent(PageTags.cut(frame, FRAME_TEXT), none -> frames.size());
            placed.add(new long[] {caller, number, Math.round(node.nanos)});
            place(node, placed.size() - 1, placed);
          }
        });
  }
}
