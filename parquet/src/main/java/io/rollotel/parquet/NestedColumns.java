package io.rollotel.parquet;

import java.util.Arrays;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;

/** The common part of the columns of events and links: an element's level is 1. */
final class NestedColumns {

  private NestedColumns() {}

  static String[] below(String[] path, String name) {
    String[] all = Arrays.copyOf(path, path.length + 1);
    all[path.length] = name;
    return all;
  }

  static ColumnWriter writer(ColumnWriteStore store, String[] path, String name) {
    return store.getColumnWriter(SpanSchema.SPAN.getColumnDescription(below(path, name)));
  }

  static void count(ColumnWriter to, long count, int repetition) {
    if (count == 0) {
      to.writeNull(repetition, 1);
    } else {
      to.write(count, repetition, 2);
    }
  }
}
