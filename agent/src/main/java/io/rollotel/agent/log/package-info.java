/**
 * Lines on stderr: {@link io.rollotel.agent.log.AgentLog} for the agent, {@link
 * io.rollotel.agent.log.LibraryLogger} for the libraries behind it.
 */
@NullMarked
package io.rollotel.agent.log;

import org.jspecify.annotations.NullMarked;
