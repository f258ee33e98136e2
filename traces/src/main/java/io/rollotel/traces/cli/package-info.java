/**
 * The command line, {@code java -jar roll-otel-agent.jar}.
 *
 * <p>Start with {@link io.rollotel.traces.cli.Main}; each command has a class of its name.
 */
@NullMarked
package io.rollotel.traces.cli;

import org.jspecify.annotations.NullMarked;
