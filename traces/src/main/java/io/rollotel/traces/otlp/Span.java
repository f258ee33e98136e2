package io.rollotel.traces.otlp;

import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * A span as read from a file.
 *
 * @param traceId 32 hex digits, lower-case
 * @param spanId 16 hex digits, lower-case
 * @param parentSpanId as {@code spanId}, empty for a root
 * @param kind 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer
 * @param startEpochNanos nanoseconds since the epoch, unsigned; 0 if the file has none
 * @param endEpochNanos as {@code startEpochNanos}
 * @param attributes by key: a String, Boolean, Long, Double, byte[], List or Map, the empty string
 *     for an empty value; not modifiable as read
 * @param statusCode 0 unset, 1 ok, 2 error
 * @param resource the process
 * @param scopeName the instrumentation scope's name, empty if there is none
 * @param failure the status's message, or the exception of the last exception event; empty if there
 *     is neither
 * @param weight how many spans this one represents, of traces that were not sampled; 1 for itself
 * @param thinnedTraceId the trace that it was thinned out with, if {@code merge} has joined that to
 *     another; otherwise empty
 * @param events also empty if they were left in the file
 * @param links as {@code events}
 */
public record Span(
    String traceId,
    String spanId,
    String parentSpanId,
    String name,
    int kind,
    long startEpochNanos,
    long endEpochNanos,
    Map<String, Object> attributes,
    int statusCode,
    Resource resource,
    String scopeName,
    String failure,
    double weight,
    String thinnedTraceId,
    List<SpanEvent> events,
    List<SpanLink> links)
    implements Serializable {

  /** A span without events and links. */
  public Span(
      String traceId,
      String spanId,
      String parentSpanId,
      String name,
      int kind,
      long startEpochNanos,
      long endEpochNanos,
      Map<String, Object> attributes,
      int statusCode,
      Resource resource,
      String scopeName,
      String failure,
      double weight,
      String thinnedTraceId) {
    this(
        traceId,
        spanId,
        parentSpanId,
        name,
        kind,
        startEpochNanos,
        endEpochNanos,
        attributes,
        statusCode,
        resource,
        scopeName,
        failure,
        weight,
        thinnedTraceId,
        List.of(),
        List.of());
  }

  /** A span that represents only itself. */
  public Span(
      String traceId,
      String spanId,
      String parentSpanId,
      String name,
      int kind,
      long startEpochNanos,
      long endEpochNanos,
      Map<String, Object> attributes,
      int statusCode,
      Resource resource,
      String scopeName,
      String failure) {
    this(
        traceId,
        spanId,
        parentSpanId,
        name,
        kind,
        startEpochNanos,
        endEpochNanos,
        attributes,
        statusCode,
        resource,
        scopeName,
        failure,
        1,
        "");
  }

  /** The status code of a span that failed. */
  public static final int STATUS_ERROR = 2;

  // The kinds of a call's two ends.

  /** The receiver's, if the sender waits. */
  public static final int SERVER = 2;

  /** The sender's, which ends when the answer arrives. */
  public static final int CLIENT = 3;

  /** The sender's, which ends when the call has been submitted. */
  public static final int PRODUCER = 4;

  /** The receiver's of such a call. */
  public static final int CONSUMER = 5;
}
