package io.rollotel.benchmarks;

import java.util.concurrent.atomic.AtomicLong;

/** Sends spans to a collector as fast as they are acknowledged: one request at once. */
abstract class OtlpSender implements AutoCloseable {

  /** Sends requests until the shared count of them is used up; each must be acknowledged. */
  void send(OtlpBatch batch, AtomicLong next, long end) {
    for (long request = next.getAndIncrement(); request < end; request = next.getAndIncrement()) {
      send(batch.from(request * batch.size()));
    }
  }

  /** Sends one request, which must be acknowledged. */
  abstract void send(byte[] request);

  @Override
  public abstract void close();
}
