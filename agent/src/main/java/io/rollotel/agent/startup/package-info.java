/**
 * How tracing begins and ends: {@link io.rollotel.agent.startup.Startup} does what the door asks
 * for, {@code RunningAgent} puts the parts together, {@code Attachment} answers requests of {@code
 * attach}.
 */
@NullMarked
package io.rollotel.agent.startup;

import org.jspecify.annotations.NullMarked;
