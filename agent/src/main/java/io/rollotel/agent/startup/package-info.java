/**
 * How tracing begins and ends: {@link io.rollotel.agent.startup.Startup} handles the calls of the
 * outer classes, {@code RunningAgent} puts the parts together, {@code Attachment} answers requests
 * of {@code attach}.
 */
@NullMarked
package io.rollotel.agent.startup;

import org.jspecify.annotations.NullMarked;
