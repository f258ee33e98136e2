/**
 * Spans as Parquet files, a row for each; docs/parquet.md has the columns.
 *
 * <p>{@link io.rollotel.parquet.SpanParquet} is found by its service entry, as soon as this jar
 * lies beside the agent's. Parquet's library is used below what needs Hadoop: columns, pages and
 * row groups.
 */
@NullMarked
package io.rollotel.parquet;

import org.jspecify.annotations.NullMarked;
