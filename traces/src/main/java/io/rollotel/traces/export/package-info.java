/**
 * A run in the formats of other tools: Perfetto, Jaeger, CSV, Parquet.
 *
 * <p>{@link io.rollotel.traces.export.Export} reads a run and writes it, {@link
 * io.rollotel.traces.export.ParquetExport} writes what it reads.
 */
@NullMarked
package io.rollotel.traces.export;

import org.jspecify.annotations.NullMarked;
