/**
 * A setting: its name, how its text is parsed, its default, and its documentation. The agent and
 * the collector each declare their settings in a table.
 *
 * <p>Start with {@link io.rollotel.traces.settings.Setting}; {@link
 * io.rollotel.traces.settings.Parser} has a parser for each kind of value.
 *
 * <p>The agent loads this package before main. That path uses no lambda and no string
 * concatenation, for which the JDK generates classes, and no regular expression before a text needs
 * one.
 */
@NullMarked
package io.rollotel.traces.settings;

import org.jspecify.annotations.NullMarked;
