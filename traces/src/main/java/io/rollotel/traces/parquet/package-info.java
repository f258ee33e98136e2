/**
 * The connection to Parquet: the code that reads and writes Parquet files is in a separate jar,
 * {@code roll-otel-parquet.jar}, since it is as large as the agent and few need it.
 *
 * <p>{@link io.rollotel.traces.parquet.ParquetFormat#find} finds it; the rest of this module uses
 * only {@link io.rollotel.traces.parquet.ParquetFormat}.
 */
@NullMarked
package io.rollotel.traces.parquet;

import org.jspecify.annotations.NullMarked;
