/**
 * Options that commands share, including those of other modules: how a run is analysed, and which
 * spans a command uses.
 */
@NullMarked
package io.rollotel.traces.cli.choice;

import org.jspecify.annotations.NullMarked;
