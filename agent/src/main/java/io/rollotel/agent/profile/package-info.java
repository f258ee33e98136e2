/**
 * The profile of the process: a recording of the JDK's Flight Recorder, whose chunks are copied
 * beside the traces while they grow. {@link io.rollotel.agent.profile.Profile} is the entrance;
 * {@link io.rollotel.agent.profile.SpanWork} is what the agent itself writes into the recording.
 *
 * <p>Nothing here is loaded unless {@code ROLL_OTEL_PROFILE} is on.
 */
@NullMarked
package io.rollotel.agent.profile;

import org.jspecify.annotations.NullMarked;
