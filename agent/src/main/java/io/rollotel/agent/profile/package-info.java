/**
 * The profile of the process: a recording of the JDK's Flight Recorder, whose chunks are copied
 * beside the traces while they grow. {@link io.rollotel.agent.profile.Profile} is the entry point;
 * {@link io.rollotel.agent.profile.SpanWork}, {@link io.rollotel.agent.profile.SpanEvent} and the
 * clock are what the agent itself writes into the recording.
 *
 * <p>Nothing here is loaded unless {@code ROLL_OTEL_PROFILE} is on.
 */
@NullMarked
package io.rollotel.agent.profile;

import org.jspecify.annotations.NullMarked;
