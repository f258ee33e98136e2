package io.rollotel.it.kit;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Sends spans to a collector at a steady rate, whatever it answers, and notes which of them were
 * acknowledged. Traces have several spans, half of them in one request and half in another. Refused
 * requests are not sent again.
 */
public final class SpanFlood implements AutoCloseable {

  public static final String SERVICE = "flood";

  private static final int SPANS_OF_A_TRACE = 10;
  private static final int TRACES_OF_A_REQUEST = 10;
  private static final int SPANS_OF_A_REQUEST = TRACES_OF_A_REQUEST * SPANS_OF_A_TRACE / 2;
  private static final int MOST_AT_ONCE = 16;

  private final ManagedChannel channel;
  private final int spansPerSecond;
  private final Semaphore free = new Semaphore(MOST_AT_ONCE);
  private final BitSet acknowledged = new BitSet(); // by number of the request
  private final Thread thread;
  private volatile boolean isOver;

  private SpanFlood(int grpcPort, int spansPerSecond) {
    this.spansPerSecond = spansPerSecond;
    channel =
        NettyChannelBuilder.forAddress("127.0.0.1", grpcPort)
            .usePlaintext()
            .disableRetry()
            .directExecutor()
            .build();
    thread = new Thread(this::send, "span-flood");
    thread.setDaemon(true);
  }

  /** Begins to send. */
  public static SpanFlood start(int grpcPort, int spansPerSecond) {
    SpanFlood flood = new SpanFlood(grpcPort, spansPerSecond);
    flood.thread.start();
    return flood;
  }

  private void send() {
    long startNanos = System.nanoTime();
    try {
      for (int request = 0; !isOver; request++) {
        long dueNanos = request * (1_000_000_000L * SPANS_OF_A_REQUEST / spansPerSecond);
        TimeUnit.NANOSECONDS.sleep(dueNanos - (System.nanoTime() - startNanos));
        free.acquire();
        int sent = request;
        GrpcExport.send(
            channel,
            request(request),
            "identity",
            status -> {
              if (status.isOk()) {
                acknowledge(sent);
              } else {
                free.release();
              }
            });
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void acknowledge(int request) {
    synchronized (acknowledged) {
      acknowledged.set(request);
    }
    free.release();
  }

  /** Requests come in pairs: the first has a half of each trace, the second the other. */
  private static byte[] request(int number) {
    SpanRequest request = new SpanRequest(SERVICE);
    long now = System.currentTimeMillis() * 1_000_000;
    for (int i = 0; i < SPANS_OF_A_REQUEST; i++) {
      int trace = number / 2 * TRACES_OF_A_REQUEST + i % TRACES_OF_A_REQUEST;
      int place = number % 2 * SPANS_OF_A_TRACE / 2 + i / TRACES_OF_A_REQUEST;
      long root = (long) trace * SPANS_OF_A_TRACE + 1;
      request.add(
          trace, root + place, place == 0 ? 0 : root, "flood", now, now + 1_000_000, false, "");
    }
    return request.bytes();
  }

  /** How many spans were acknowledged so far. */
  public long acknowledged() {
    synchronized (acknowledged) {
      return (long) acknowledged.cardinality() * SPANS_OF_A_REQUEST;
    }
  }

  /** Waits until so many more were acknowledged. */
  public void awaitMore(long spans) throws Exception {
    long before = acknowledged();
    Patience.until(
        () -> spans + " more spans are acknowledged than " + before + "; now " + acknowledged(),
        () -> acknowledged() >= before + spans);
  }

  /** Sends no more, and waits for the last answers. */
  public void stop() throws InterruptedException {
    isOver = true;
    thread.join();
    free.acquire(MOST_AT_ONCE);
    free.release(MOST_AT_ONCE);
  }

  /** How many spans that were acknowledged are not below a directory; looked for by both ids. */
  public long missing(Path directory) throws IOException {
    BitSet missing = new BitSet();
    synchronized (acknowledged) {
      acknowledged.stream().forEach(request -> eachSpan(request, missing));
    }
    new TracesReader()
        .read(
            directory,
            span -> {
              if (SERVICE.equals(span.resource().attributes().get("service.name"))) {
                missing.clear(number(span));
              }
            });
    return missing.cardinality();
  }

  private static void eachSpan(int request, BitSet spans) {
    int firstTrace = request / 2 * TRACES_OF_A_REQUEST;
    for (int trace = firstTrace; trace < firstTrace + TRACES_OF_A_REQUEST; trace++) {
      int first = trace * SPANS_OF_A_TRACE + 1 + request % 2 * SPANS_OF_A_TRACE / 2;
      spans.set(first, first + SPANS_OF_A_TRACE / 2);
    }
  }

  private static int number(Span span) {
    int number = Integer.parseInt(span.spanId(), 16);
    assertThat(span.traceId()).isEqualTo(SpanRequest.traceId((number - 1) / SPANS_OF_A_TRACE));
    return number;
  }

  @Override
  public void close() throws InterruptedException {
    isOver = true;
    channel.shutdownNow();
    channel.awaitTermination(Patience.MINUTES, TimeUnit.MINUTES);
  }
}
