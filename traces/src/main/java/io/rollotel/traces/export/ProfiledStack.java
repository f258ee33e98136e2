package io.rollotel.traces.export;

import io.rollotel.traces.profile.Activity;
import io.rollotel.traces.profile.Breakdown;
import io.rollotel.traces.profile.Frame;
import io.rollotel.traces.profile.RunProfile;
import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where time was spent: the name of the span, then the running methods, or in brackets the thread's
 * other activity and what it waited for.
 *
 * @param frames the outermost first
 */
record ProfiledStack(List<Frame> frames, long nanos) {

  /** Those of some spans. */
  static List<ProfiledStack> of(Spans spans, List<RunProfile.Part> parts) {
    List<ProfiledStack> all = new ArrayList<>();
    for (RunProfile.Part part : parts) {
      Frame name = named(spans.names().text(part.name()));
      Breakdown breakdown = part.breakdown();
      for (Activity activity : breakdown.activities()) {
        double left = breakdown.nanos(activity);
        Frame kind = named("[" + activity.words() + "]");
        if (activity == Activity.RUNNING) {
          int first = all.size();
          breakdown.forEachStack((frames, nanos) -> add(all, name, frames, nanos));
          left -= all.stream().skip(first).mapToLong(ProfiledStack::nanos).sum();
        } else {
          for (Breakdown.Detail detail : breakdown.details(activity)) {
            add(
                all,
                name,
                detail.what().isEmpty() ? List.of(kind) : List.of(kind, named(detail.what())),
                detail.nanos());
            left -= detail.nanos();
          }
        }
        add(all, name, List.of(kind), left);
      }
    }
    return all;
  }

  private static Frame named(String text) {
    return new Frame(text, 0);
  }

  private static void add(List<ProfiledStack> all, Frame name, List<Frame> below, double nanos) {
    if (nanos >= 1) {
      List<Frame> frames = new ArrayList<>(below.size() + 1);
      frames.add(name);
      frames.addAll(below);
      all.add(new ProfiledStack(frames, Math.round(nanos)));
    }
  }

  /** Each stack of methods once, regardless of line numbers. */
  static List<ProfiledStack> byMethod(List<ProfiledStack> stacks) {
    Map<List<Frame>, Long> found = new LinkedHashMap<>();
    for (ProfiledStack stack : stacks) {
      found.merge(stack.frames.stream().map(Frame::withoutLine).toList(), stack.nanos, Long::sum);
    }
    return found.entrySet().stream()
        .map(entry -> new ProfiledStack(entry.getKey(), entry.getValue()))
        .toList();
  }
}
