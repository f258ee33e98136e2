package io.rollotel.traces.partition;

import io.rollotel.traces.otlp.HexIds;

/** Distributes traces to partitions by their ids, which need not be random. */
final class TraceHash {

  private TraceHash() {}

  /**
   * The partition of a trace.
   *
   * @param partitions a power of two
   */
  static int partition(String traceId, int partitions) {
    long bits = HexIds.toLong(traceId, 0) * 0x9e37_79b9_7f4a_7c15L ^ HexIds.toLong(traceId, 16);
    bits = (bits ^ bits >>> 33) * 0xff51_afd7_ed55_8ccdL;
    bits = (bits ^ bits >>> 33) * 0xc4ce_b9fe_1a85_ec53L;
    return (int) (bits ^ bits >>> 33) & (partitions - 1);
  }
}
