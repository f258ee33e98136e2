package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.TracedProcess;
import java.io.Serializable;

/**
 * The span of an agent's run that has not ended.
 *
 * @param isAlive whether its process is alive, as far as can be told from here
 * @param ageNanos how long it had been open at its process's last sign of life
 */
public record OpenRun(
    String traceId,
    String spanId,
    TracedProcess process,
    boolean isAlive,
    long startEpochNanos,
    long ageNanos)
    implements Serializable {}
