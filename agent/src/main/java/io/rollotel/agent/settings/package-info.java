/**
 * The agent's settings: {@link io.rollotel.agent.settings.Settings} reads them from environment,
 * properties and arguments, {@link io.rollotel.agent.settings.CurrentSettings} holds those in
 * force.
 */
@NullMarked
package io.rollotel.agent.settings;

import org.jspecify.annotations.NullMarked;
