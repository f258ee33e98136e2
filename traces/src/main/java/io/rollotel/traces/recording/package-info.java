/**
 * The flight recorder's files: what a process was doing when it was last seen alive.
 *
 * <p>{@link io.rollotel.traces.recording.RecordingLayout} describes the file, and the agent writes
 * it. {@link io.rollotel.traces.recording.Recordings} reads the files of an output directory; each
 * becomes a {@link io.rollotel.traces.recording.Recording}.
 */
@NullMarked
package io.rollotel.traces.recording;

import org.jspecify.annotations.NullMarked;
