package io.rollotel.agent.sdk;

import io.rollotel.agent.settings.Settings;
import io.rollotel.traces.recording.HostName;
import org.jspecify.annotations.Nullable;

/**
 * The name of this process.
 *
 * @param instance its {@code service.instance.id}
 * @param file the name of its files, before invalid characters are replaced
 */
record ProcessName(String instance, String file) {

  /**
   * {@code ROLL_OTEL_INSTANCE}, otherwise {@code WORKER_NAME}, which ROLL's driver sets for its
   * workers, otherwise host and process. Processes that a worker starts inherit its {@code
   * WORKER_NAME}, so its files are named after the process as well.
   */
  static ProcessName of(Settings settings) {
    String process = HostName.get() + ":" + ProcessHandle.current().pid();
    String given = orEmpty(settings.instance());
    if (!given.isEmpty()) {
      return new ProcessName(given, given);
    }
    String worker = orEmpty(settings.environment("WORKER_NAME"));
    return worker.isEmpty()
        ? new ProcessName(process, process)
        : new ProcessName(worker, worker + "-" + process);
  }

  private static String orEmpty(@Nullable String name) {
    return name == null ? "" : name.strip();
  }
}
