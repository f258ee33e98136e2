/**
 * What the threads of spans did, by the recordings of Flight Recorder that lie beside the traces.
 * {@link io.rollotel.traces.profile.RunProfile} joins spans and recordings by process, thread and
 * time; {@link io.rollotel.traces.profile.Breakdown} is what it finds. docs/profile.md has the
 * definitions.
 */
@NullMarked
package io.rollotel.traces.profile;

import org.jspecify.annotations.NullMarked;
