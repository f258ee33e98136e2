package io.rollotel.parquet;

import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.WireCursor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.io.api.Binary;

/** The columns of the list of a span's events. */
final class EventColumns {

  private static final String[] PATH = {"events", "list", "element"};

  private final ColumnWriter time;
  private final ColumnWriter name;
  private final ColumnWriter dropped;
  private final AttributeColumns attributes;
  private final SpanMessage.Slice nameOf = new SpanMessage.Slice();

  EventColumns(ColumnWriteStore store) {
    this.time = NestedColumns.writer(store, PATH, "time_unix_nano");
    this.name = NestedColumns.writer(store, PATH, "name");
    this.dropped = NestedColumns.writer(store, PATH, "dropped_attributes_count");
    this.attributes = new AttributeColumns(store, NestedColumns.below(PATH, "attributes"));
  }

  void write(WireCursor wire, SpanMessage.Places events) throws MalformedRequestException {
    if (events.count() == 0) {
      time.writeNull(0, 0);
      name.writeNull(0, 0);
      dropped.writeNull(0, 0);
      attributes.none(0, 0);
      return;
    }
    int before = wire.position();
    for (int i = 0; i < events.count(); i++) {
      wire.moveTo(events.get(i));
      event(wire, i == 0 ? 0 : 1);
    }
    wire.moveTo(before);
  }

  private void event(WireCursor wire, int repetition) throws MalformedRequestException {
    long nanos = 0;
    long droppedCount = 0;
    nameOf.clear();
    SpanMessage.Places places = attributes.places();
    int outer = wire.enter();
    while (wire.next()) {
      switch (wire.field()) {
        case 1 -> nanos = wire.fixed64();
        case 2 -> nameOf.read(wire);
        case 3 -> {
          places.add(wire.position());
          wire.skip();
        }
        case 4 -> droppedCount = wire.varint();
        default -> wire.skip();
      }
    }
    time.write(nanos, repetition, 1);
    name.write(
        Binary.fromReusedByteArray(wire.bytes(), nameOf.start(), nameOf.length()), repetition, 1);
    NestedColumns.count(dropped, droppedCount, repetition);
    attributes.write(wire, places, repetition, (request, attribute) -> {});
    wire.leave(outer);
  }
}
