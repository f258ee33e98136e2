package io.rollotel.traces.spans;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The labels of steps: {@code global_step}, or the id of an agent's run. */
final class StepLabels implements Serializable {

  static final String GLOBAL_STEP = "global_step";

  private static final int MOST = 1_000_000;

  private final Map<Integer, String> labels = new HashMap<>();

  void see(int span, String name, Map<String, Object> attributes) {
    Object step = attributes.get(GLOBAL_STEP);
    if (step == null && name.equals(RunFacts.RUN)) {
      step = attributes.get(RunFacts.ID);
    }
    if (step != null && labels.size() < MOST) {
      labels.put(span, step.toString());
    }
  }

  void copy(int span, String label) {
    labels.put(span, label);
  }

  @Nullable String of(int span) {
    return labels.get(span);
  }
}
