package io.rollotel.parquet;

import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.WireCursor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.io.api.Binary;

/** The columns of the list of a span's links. */
final class LinkColumns {

  private static final String[] PATH = {"links", "list", "element"};

  private final ColumnWriter traceId;
  private final ColumnWriter spanId;
  private final ColumnWriter traceState;
  private final ColumnWriter flags;
  private final ColumnWriter dropped;
  private final AttributeColumns attributes;
  private final SpanMessage.Slice trace = new SpanMessage.Slice();
  private final SpanMessage.Slice span = new SpanMessage.Slice();
  private final SpanMessage.Slice state = new SpanMessage.Slice();

  LinkColumns(ColumnWriteStore store) {
    this.traceId = NestedColumns.writer(store, PATH, "trace_id");
    this.spanId = NestedColumns.writer(store, PATH, "span_id");
    this.traceState = NestedColumns.writer(store, PATH, "trace_state");
    this.flags = NestedColumns.writer(store, PATH, "flags");
    this.dropped = NestedColumns.writer(store, PATH, "dropped_attributes_count");
    this.attributes = new AttributeColumns(store, NestedColumns.below(PATH, "attributes"));
  }

  void write(WireCursor wire, SpanMessage.Places links) throws MalformedRequestException {
    if (links.count() == 0) {
      traceId.writeNull(0, 0);
      spanId.writeNull(0, 0);
      traceState.writeNull(0, 0);
      flags.writeNull(0, 0);
      dropped.writeNull(0, 0);
      attributes.none(0, 0);
      return;
    }
    int before = wire.position();
    for (int i = 0; i < links.count(); i++) {
      wire.moveTo(links.get(i));
      link(wire, i == 0 ? 0 : 1);
    }
    wire.moveTo(before);
  }

  private void link(WireCursor wire, int repetition) throws MalformedRequestException {
    long flagsOf = 0;
    long droppedCount = 0;
    trace.clear();
    span.clear();
    state.clear();
    SpanMessage.Places places = attributes.places();
    int outer = wire.enter();
    while (wire.next()) {
      switch (wire.field()) {
        case 1 -> trace.read(wire);
        case 2 -> span.read(wire);
        case 3 -> state.read(wire);
        case 4 -> {
          places.add(wire.position());
          wire.skip();
        }
        case 5 -> droppedCount = wire.varint();
        case 6 -> flagsOf = Integer.toUnsignedLong(wire.fixed32());
        default -> wire.skip();
      }
    }
    byte[] request = wire.bytes();
    traceId.write(id(request, trace), repetition, 1);
    spanId.write(id(request, span), repetition, 1);
    if (state.length() == 0) {
      traceState.writeNull(repetition, 1);
    } else {
      traceState.write(
          Binary.fromReusedByteArray(request, state.start(), state.length()), repetition, 2);
    }
    NestedColumns.count(flags, flagsOf, repetition);
    NestedColumns.count(dropped, droppedCount, repetition);
    attributes.write(wire, places, repetition, (of, attribute) -> {});
    wire.leave(outer);
  }

  private static Binary id(byte[] request, SpanMessage.Slice id) {
    return SpanColumns.hex(request, id.start(), new byte[2 * id.length()]);
  }
}
