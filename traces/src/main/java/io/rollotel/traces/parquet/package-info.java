/**
 * The connection to Parquet: the code that reads and writes Parquet files is in a separate jar,
 * {@code roll-otel-parquet.jar}, since it is as large as the agent and few need it.
 *
 * <p>{@link io.rollotel.traces.parquet.ParquetFormat#find} finds it; {@link
 * io.rollotel.traces.parquet.ParquetFormat} is all that is known of it here.
 */
@NullMarked
package io.rollotel.traces.parquet;

import org.jspecify.annotations.NullMarked;
