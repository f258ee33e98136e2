package io.rollotel.agent.startup;

import io.rollotel.agent.api.TracingCopies;
import io.rollotel.agent.correlation.LogLibraries;
import io.rollotel.agent.settings.CurrentSettings;
import io.rollotel.agent.settings.Settings;
import io.rollotel.agent.threads.TaskThreads;
import io.rollotel.agent.transform.ResettableTransformers;

/**
 * What waits for the first use of tracing, since before it there is no context: to weave the JDK's
 * threads and executors, and the logging libraries.
 */
final class FirstUse implements Runnable {

  private final CurrentSettings settings;
  private final ResettableTransformers transformers;
  private final TracingCopies tracings;

  FirstUse(CurrentSettings settings, ResettableTransformers transformers, TracingCopies tracings) {
    this.settings = settings;
    this.transformers = transformers;
    this.tracings = tracings;
  }

  @Override
  public void run() {
    Settings now = settings.get();
    if (now.threads()) {
      TaskThreads.weave(transformers, tracings);
    }
    if (now.logCorrelation()) {
      LogLibraries.weave(transformers);
    }
  }
}
