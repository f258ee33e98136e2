/**
 * What a setting is: its name, what a text means for it, its default, and what people read of it.
 * The agent and the collector declare theirs by it, each in a table of its own.
 *
 * <p>Start with {@link io.rollotel.traces.settings.Setting}; {@link
 * io.rollotel.traces.settings.Parser} has one way of reading for each kind of value.
 *
 * <p>The agent loads this package before main: on that way no lambda and no string that is put
 * together by a plus, for which the JDK makes classes, and no regular expression before a text asks
 * for one.
 */
@NullMarked
package io.rollotel.traces.settings;

import org.jspecify.annotations.NullMarked;
