package io.rollotel.parquet;

import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.WireCursor;
import java.util.Arrays;

/** The positions of a span's fields in a request; reused for the next one. */
final class SpanMessage {

  static final int TRACE_ID_BYTES = 16;
  static final int SPAN_ID_BYTES = 8;

  /** Places in a request, in their order. */
  static final class Places {
    private int[] places = new int[16];
    private int count;

    void clear() {
      count = 0;
    }

    void add(int place) {
      if (count == places.length) {
        places = Arrays.copyOf(places, 2 * count);
      }
      places[count++] = place;
    }

    int count() {
      return count;
    }

    int get(int index) {
      return places[index];
    }
  }

  /** A text or bytes in a request; empty if it has none. */
  static final class Slice {
    private int start;
    private int length;

    void clear() {
      length = 0;
    }

    void read(WireCursor wire) throws MalformedRequestException {
      length = wire.length();
      start = wire.position();
      wire.moveTo(start + length);
    }

    int start() {
      return start;
    }

    int length() {
      return length;
    }
  }

  // Where the ids begin.
  int traceId;
  int spanId;

  final Slice parentId = new Slice();
  final Slice traceState = new Slice();
  final Slice name = new Slice();
  final Slice statusMessage = new Slice();
  int kind;
  int statusCode;
  long startNanos;
  long endNanos;
  long flags;
  long droppedAttributes;
  long droppedEvents;
  long droppedLinks;

  /** Each place is that of a message's length. */
  final Places attributes = new Places();

  final Places events = new Places();
  final Places links = new Places();

  /** Reads the message that the cursor has entered. */
  void read(WireCursor wire) throws MalformedRequestException {
    clear();
    while (wire.next()) {
      switch (wire.field()) {
        case 1 -> traceId = id(wire);
        case 2 -> spanId = id(wire);
        case 3 -> traceState.read(wire);
        case 4 -> parentId.read(wire);
        case 5 -> name.read(wire);
        case 6 -> kind = (int) wire.varint();
        case 7 -> startNanos = wire.fixed64();
        case 8 -> endNanos = wire.fixed64();
        case 9 -> place(wire, attributes);
        case 10 -> droppedAttributes = wire.varint();
        case 11 -> place(wire, events);
        case 12 -> droppedEvents = wire.varint();
        case 13 -> place(wire, links);
        case 14 -> droppedLinks = wire.varint();
        case 15 -> status(wire);
        case 16 -> flags = Integer.toUnsignedLong(wire.fixed32());
        default -> wire.skip();
      }
    }
  }

  private void clear() {
    parentId.clear();
    traceState.clear();
    name.clear();
    statusMessage.clear();
    kind = 0;
    statusCode = 0;
    startNanos = 0;
    endNanos = 0;
    flags = 0;
    droppedAttributes = 0;
    droppedEvents = 0;
    droppedLinks = 0;
    attributes.clear();
    events.clear();
    links.clear();
  }

  private static int id(WireCursor wire) throws MalformedRequestException {
    int length = wire.length();
    int start = wire.position();
    wire.moveTo(start + length);
    return start;
  }

  private static void place(WireCursor wire, Places places) throws MalformedRequestException {
    places.add(wire.position());
    wire.skip();
  }

  private void status(WireCursor wire) throws MalformedRequestException {
    int outer = wire.enter();
    while (wire.next()) {
      switch (wire.field()) {
        case 2 -> statusMessage.read(wire);
        case 3 -> statusCode = (int) wire.varint();
        default -> wire.skip();
      }
    }
    wire.leave(outer);
  }
}
