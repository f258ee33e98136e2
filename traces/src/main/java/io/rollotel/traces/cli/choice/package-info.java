/**
 * Options that commands share, those of other modules among them: how a run is analysed, and which
 * spans a command is about.
 */
@NullMarked
package io.rollotel.traces.cli.choice;

import org.jspecify.annotations.NullMarked;
