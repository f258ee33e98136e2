package io.rollotel.agent.span;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.sdk.trace.IdGenerator;
import io.rollotel.traces.collector.SystemRandom;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Ids from the operating system's randomness, independent of the application's generators: workers
 * that seed theirs alike must not make equal ids. Mirrors ROLL's {@code _OsUrandomIdGenerator}.
 *
 * <p>The system's randomness is read once per process and mixed into a JDK generator that cannot be
 * seeded, because one system call per span would cost more than the span.
 */
public final class OsSeededIdGenerator implements IdGenerator {

  /** The trace id of the root that this thread is starting; otherwise empty. */
  private static final ThreadLocal<@Nullable String> GIVEN = new ThreadLocal<>();

  private final long high;
  private final long low;
  private final long span;

  private OsSeededIdGenerator(long high, long low, long span) {
    this.high = high;
    this.low = low;
    this.span = span;
  }

  public static OsSeededIdGenerator create() {
    LongBuffer random = ByteBuffer.wrap(SystemRandom.bytes(3 * Long.BYTES)).asLongBuffer();
    return new OsSeededIdGenerator(random.get(), random.get(), random.get());
  }

  /**
   * Starts a span.
   *
   * @param traceId the id of the trace if the span is a root; null for a random one. Ignored if the
   *     application's own SDK generates ids
   */
  static Span start(SpanBuilder builder, @Nullable String traceId) {
    if (traceId == null) {
      return builder.startSpan();
    }
    GIVEN.set(traceId);
    try {
      return builder.startSpan();
    } finally {
      GIVEN.remove();
    }
  }

  @Override
  public String generateSpanId() {
    return SpanId.fromLong(spanId());
  }

  @Override
  public String generateTraceId() {
    String given = GIVEN.get();
    if (given == null) {
      return TraceId.fromLongs(traceHigh(), traceLow());
    }
    GIVEN.remove(); // a processor may start another root meanwhile
    return given;
  }

  /** The number that {@link #generateSpanId} formats. */
  long spanId() {
    return nextLong(span);
  }

  /** The first half of {@link #generateTraceId}. */
  long traceHigh() {
    return ThreadLocalRandom.current().nextLong() ^ high;
  }

  /** The second half, never zero. */
  long traceLow() {
    return nextLong(low);
  }

  private static long nextLong(long secret) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    long id;
    do {
      id = random.nextLong() ^ secret;
    } while (id == 0);
    return id;
  }
}
