/**
 * The report as a Spark application: the same analysis as on one machine, of traces in as many
 * parts as there is memory for in all of a cluster.
 *
 * <p>{@link io.rollotel.spark.InputFiles} finds the files, {@link io.rollotel.spark.PieceReader}
 * makes blocks of spans of them, {@link io.rollotel.spark.ShuffledSpans} brings all spans of a
 * trace together, {@link io.rollotel.spark.SparkPasses} analyses them.
 */
@NullMarked
package io.rollotel.spark;

import org.jspecify.annotations.NullMarked;
