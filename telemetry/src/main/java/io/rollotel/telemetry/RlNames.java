package io.rollotel.telemetry;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The names that OpenTelemetry's proposed conventions for reinforcement learning have for ours. */
final class RlNames {

  private static final Map<String, String> NAMES =
      Map.of(
          "reward", "rl.reward.score",
          "run_id", "rl.run.id",
          "task_id", "rl.sample.task.id",
          "algorithm", "rl.algorithm",
          "model", "rl.model.name",
          "environment", "rl.environment.name",
          "environment_type", "rl.environment.type",
          "agent_count", "rl.agent.count");

  private RlNames() {}

  /** Null if they have none. */
  static @Nullable String of(String name) {
    return NAMES.get(name);
  }
}
