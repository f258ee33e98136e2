package io.rollotel.traces.export;

import io.rollotel.traces.profile.Activity;
import io.rollotel.traces.profile.Breakdown;
import io.rollotel.traces.profile.RunProfile;
import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.List;

/**
 * Where time was spent: below the name of the span the methods that ran, or what the thread did
 * instead, in brackets, and on what it waited.
 *
 * @param frames the outermost first
 */
record ProfiledStack(List<String> frames, long nanos) {

  /** Those of some spans. */
  static List<ProfiledStack> of(Spans spans, List<RunProfile.Part> parts) {
    List<ProfiledStack> all = new ArrayList<>();
    for (RunProfile.Part part : parts) {
      String name = spans.names().text(part.name());
      Breakdown breakdown = part.breakdown();
      for (Activity activity : breakdown.activities()) {
        double left = breakdown.nanos(activity);
        if (activity == Activity.RUNNING) {
          double before = all.stream().mapToLong(ProfiledStack::nanos).sum();
          breakdown.forEachStack((methods, nanos) -> add(all, name, methods, nanos));
          left -= all.stream().mapToLong(ProfiledStack::nanos).sum() - before;
        } else {
          for (Breakdown.Detail detail : breakdown.details(activity)) {
            String kind = "[" + activity.words() + "]";
            add(
                all,
                name,
                detail.what().isEmpty() ? List.of(kind) : List.of(kind, detail.what()),
                detail.nanos());
            left -= detail.nanos();
          }
        }
        add(all, name, List.of("[" + activity.words() + "]"), left);
      }
    }
    return all;
  }

  private static void add(List<ProfiledStack> all, String name, List<String> below, double nanos) {
    if (nanos >= 1) {
      List<String> frames = new ArrayList<>();
      frames.add(name);
      frames.addAll(below);
      all.add(new ProfiledStack(frames, Math.round(nanos)));
    }
  }
}
