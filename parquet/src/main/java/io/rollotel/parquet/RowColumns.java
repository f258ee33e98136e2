package io.rollotel.parquet;

import java.util.HashMap;
import java.util.Map;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

/** The columns of a row group that a file has. */
final class RowColumns {

  private final MessageType schema;
  private final ColumnReadStoreImpl store;
  private final Map<String, Leaf> leaves = new HashMap<>();

  RowColumns(PageReadStore pages, MessageType schema, String createdBy) {
    this.schema = schema;
    this.store = new ColumnReadStoreImpl(pages, new Unused(schema), schema, createdBy);
  }

  MessageType schema() {
    return schema;
  }

  boolean has(String... path) {
    Type at = schema;
    for (String name : path) {
      if (at.isPrimitive() || !at.asGroupType().containsField(name)) {
        return false;
      }
      at = at.asGroupType().getType(name);
    }
    return true;
  }

  GroupType group(String... path) {
    return schema.getType(path).asGroupType();
  }

  /** Null if the file has no such column. */
  @Nullable Leaf leaf(String... path) {
    if (!has(path) || !schema.getType(path).isPrimitive()) {
      return null;
    }
    return leaves.computeIfAbsent(
        String.join("/", path),
        none -> new Leaf(store.getColumnReader(schema.getColumnDescription(path))));
  }

  /** The library requires a consumer of records, which we assemble ourselves. */
  private static final class Unused extends GroupConverter {

    private final GroupType type;

    Unused(GroupType type) {
      this.type = type;
    }

    @Override
    public Converter getConverter(int field) {
      Type part = type.getType(field);
      return part.isPrimitive() ? new PrimitiveConverter() {} : new Unused(part.asGroupType());
    }

    @Override
    public void start() {}

    @Override
    public void end() {}
  }
}
