package io.rollotel.agent.export;

import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.SpanRange;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the refused spans of a request: sends it in halves, and refused halves in halves again. For
 * one thread.
 */
final class Narrowing {

  /**
   * After this many, refused spans are no longer divided: a thousand bad spans must not take a
   * thousand attempts.
   */
  private static final int MOST_REQUESTS = 64;

  /** After this many refusals, down to single spans, the endpoint is to blame and not the spans. */
  private static final int MOST_WITHOUT_SUCCESS = 16;

  private record Part(int from, int to) {
    int spans() {
      return to - from;
    }
  }

  private final byte[] request;
  private final Deque<Part> parts = new ArrayDeque<>();
  private final List<Part> refused = new ArrayList<>();
  private int requests;
  private int takenSpans;

  /** A request that was just refused as a whole. */
  Narrowing(byte[] request, int spans) {
    this.request = request;
    parts.push(new Part(0, spans));
    refused();
  }

  /** The part to be sent next; null at the end. */
  byte @Nullable [] next() throws IOException {
    Part part = parts.peek();
    return part == null ? null : cut(part);
  }

  private byte[] cut(Part part) throws IOException {
    try {
      return SpanRange.of(request, part.from, part.to);
    } catch (MalformedRequestException e) {
      throw new IOException(e);
    }
  }

  /** How many spans there are in it. */
  int nextSpans() {
    return parts.element().spans();
  }

  /** It was taken. */
  void taken() {
    takenSpans += parts.pop().spans();
  }

  /** It was refused. */
  void refused() {
    requests++;
    Part part = parts.pop();
    if (part.spans() <= 1 || requests >= MOST_REQUESTS) {
      refused.add(part);
      return;
    }
    int middle = part.from + part.spans() / 2;
    parts.push(new Part(middle, part.to));
    parts.push(new Part(part.from, middle));
  }

  /** Whether no part has been accepted, of so many that the spans may not be to blame. */
  boolean isHopeless() {
    return takenSpans == 0 && (requests >= MOST_WITHOUT_SUCCESS || parts.isEmpty());
  }

  int takenSpans() {
    return takenSpans;
  }

  int refusedSpans() {
    return refused.stream().mapToInt(Part::spans).sum();
  }

  /** Requests with the spans that the endpoint refuses. */
  List<byte[]> refusedParts() throws IOException {
    List<byte[]> all = new ArrayList<>();
    for (Part part : refused) {
      all.add(cut(part));
    }
    return all;
  }
}
