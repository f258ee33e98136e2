package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.TracedProcess;
import java.io.Serializable;
import java.util.List;

/**
 * The span of an agent's run that has not ended.
 *
 * @param isAlive whether its process is alive, as far as this host can know
 * @param hasExited whether its process ended in order, as by a signal
 * @param ageNanos how long it had been open at its process's last sign of life
 * @param steps its steps that have not ended, the one that has been open longest first
 */
public record OpenRun(
    String traceId,
    String spanId,
    TracedProcess process,
    boolean isAlive,
    boolean hasExited,
    long startEpochNanos,
    long ageNanos,
    List<Step> steps)
    implements Serializable {

  /**
   * A step that has not ended. Its number and what it does are unknown.
   *
   * @param ageNanos as of the run
   */
  public record Step(String spanId, long startEpochNanos, long ageNanos) implements Serializable {}
}
