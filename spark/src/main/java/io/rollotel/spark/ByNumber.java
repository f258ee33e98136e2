package io.rollotel.spark;

import org.apache.spark.Partitioner;
import org.jspecify.annotations.Nullable;

/** Keys are the numbers of partitions. */
final class ByNumber extends Partitioner {

  private final int partitions;

  ByNumber(int partitions) {
    this.partitions = partitions;
  }

  @Override
  public int numPartitions() {
    return partitions;
  }

  @Override
  public int getPartition(Object key) {
    return (int) key;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ByNumber same && same.partitions == partitions;
  }

  @Override
  public int hashCode() {
    return partitions;
  }
}
