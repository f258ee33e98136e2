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
   * {@code ROLL_OTEL_INSTANCE}; otherwise {@code WORKER_NAME} or else the host, followed by the
   * process id. ROLL's driver sets {@code WORKER_NAME} for its workers, which are Python processes:
   * a JVM has inherited it from the worker that started it, and reports must tell the two apart.
   */
  static ProcessName of(Settings settings) {
    long pid = ProcessHandle.current().pid();
    String process = HostName.get() + ":" + pid;
    String given = orEmpty(settings.instance());
    if (!given.isEmpty()) {
      return new ProcessName(given, given);
    }
    String worker = orEmpty(settings.environment("WORKER_NAME"));
    return worker.isEmpty()
        ? new ProcessName(process, process)
        : new ProcessName(worker + ":" + pid, worker + "-" + process);
  }

  private static String orEmpty(@Nullable String name) {
    return name == null ? "" : name.strip();
  }
}
