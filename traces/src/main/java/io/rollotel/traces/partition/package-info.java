/**
 * The spans of directories, partitioned by trace id, in files on disk: for an analysis that cannot
 * hold all spans in memory.
 *
 * <p>{@link io.rollotel.traces.partition.Partitions} is the cache, {@link
 * io.rollotel.traces.partition.PartitionOptions} says how it is made. A disk that is too small ends
 * in a {@link io.rollotel.traces.partition.DiskSpaceException}.
 *
 * <h2>The files</h2>
 *
 * <p>The format is private: a cache of another version is rebuilt. Numbers are little-endian or,
 * unless stated otherwise, varints of seven bits a byte; signed ones are folded (zigzag).
 *
 * <ul>
 *   <li>{@code manifest}: what was read of which file, and how many bytes of each of the others are
 *       valid. It is replaced in one step. Data after a valid length was written after the last
 *       manifest and is cut off.
 *   <li>{@code p0000} and so on: blocks of spans, a file for each partition. {@code joins}: blocks
 *       of the spans that name calls to be joined.
 *   <li>{@code m0000} and so on: spans whose traces belong to traces of another partition, once
 *       more, in the partition where they are read. Written when everything else has been read.
 *   <li>{@code resources}: each resource once, with its number; blocks refer to it.
 *   <li>{@code lock} and {@code holder}: which process uses the cache.
 * </ul>
 *
 * <p>A block begins with a {@link io.rollotel.traces.partition.BlockHeader header} with its lengths
 * and checksums. Three sections follow:
 *
 * <ul>
 *   <li><em>Runs</em>: stretches of spans of one trace, resource, scope and file.
 *   <li><em>Facts</em>: for each span the ids, name, kind, times, status, failure, weight, and the
 *       attributes that a report without a page reads.
 *   <li><em>Rest</em>, deflated: the other attributes, and where they stood among the facts; events
 *       and links.
 * </ul>
 *
 * <p>A text is stored at its first occurrence. If it soon repeats, it is replaced by a number, so
 * no table must be read first.
 */
@NullMarked
package io.rollotel.traces.partition;

import org.jspecify.annotations.NullMarked;
