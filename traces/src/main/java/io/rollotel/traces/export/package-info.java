/**
 * A run in the formats of other tools: Perfetto, Jaeger, CSV.
 *
 * <p>{@link io.rollotel.traces.export.Export} reads a run and writes it.
 */
@NullMarked
package io.rollotel.traces.export;

import org.jspecify.annotations.NullMarked;
