/**
 * The flight recorder: what spans are open, and which have ended and not been exported yet, in a
 * memory-mapped file that outlives the process. {@link io.rollotel.agent.recorder.Recorder} is the
 * entry point. A JVM has one recorder, whatever its copies of the SDK. docs/file-format.md
 * describes the file, and {@code io.rollotel.traces.recording} reads it.
 */
@NullMarked
package io.rollotel.agent.recorder;

import org.jspecify.annotations.NullMarked;
