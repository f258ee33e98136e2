package io.rollotel.traces.analysis;

/**
 * Traces whose first spans have one name, and that belong to no step but ran between the first
 * step's start and the last one's end. No step's path or phases have them, even if a step waited.
 *
 * @param name the name's number
 * @param traces how many they stand for
 * @param totalNanos the total time of their first spans
 * @param longest the longest first span
 */
public record OutsideWork(int name, long traces, long totalNanos, int longest) {}
