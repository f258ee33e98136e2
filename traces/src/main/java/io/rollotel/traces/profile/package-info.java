/**
 * The activity of spans' threads, from Flight Recorder's recordings beside the traces. {@link
 * io.rollotel.traces.profile.RunProfile} joins spans and recordings by process, thread and time;
 * {@link io.rollotel.traces.profile.Breakdown} is the result. docs/profile.md has the definitions.
 */
@NullMarked
package io.rollotel.traces.profile;

import org.jspecify.annotations.NullMarked;
