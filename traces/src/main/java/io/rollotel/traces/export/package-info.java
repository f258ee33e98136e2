/**
 * A run in the formats of other tools: Perfetto, Jaeger, CSV, Parquet.
 *
 * <p>{@link io.rollotel.traces.export.Export} reads a run and writes it, {@link
 * io.rollotel.traces.export.ParquetExport} writes the spans while it reads them.
 */
@NullMarked
package io.rollotel.traces.export;

import org.jspecify.annotations.NullMarked;
