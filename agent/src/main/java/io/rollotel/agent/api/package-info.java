/**
 * The copies of the OpenTelemetry API in a process, and what the agent does for each: {@link
 * io.rollotel.agent.api.ApiCopies} finds the copy that a class sees, {@link
 * io.rollotel.agent.api.Tracing} is tracing on one copy, {@link io.rollotel.agent.api.HookTarget}
 * answers woven code, {@link io.rollotel.agent.api.Shutdown} ends tracing.
 */
@NullMarked
package io.rollotel.agent.api;

import org.jspecify.annotations.NullMarked;
