package io.rollotel.parquet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.UnknownLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;

/**
 * The part of a file's schema that is read: columns with the name and the type of one of ours, in
 * any place, optional or not.
 */
final class KnownColumns {

  private static final Set<PrimitiveTypeName> NUMBERS =
      Set.of(
          PrimitiveTypeName.INT32,
          PrimitiveTypeName.INT64,
          PrimitiveTypeName.FLOAT,
          PrimitiveTypeName.DOUBLE);

  /** Columns that repeat others for queries, and the columns that replace them. */
  private static final Map<String, String> DERIVED =
      Map.of(
          "start_time", "start_time_unix_nano",
          "duration_nano", "end_time_unix_nano",
          "adjusted_count", "trace_state",
          "roll_queue_ns", "attributes",
          "global_step", "attributes");

  private KnownColumns() {}

  /**
   * The columns to read.
   *
   * @param hasAllResources whether no row does without {@code resource_attributes} that has other
   *     columns of its resource
   */
  static MessageType of(MessageType file, boolean hasAllResources) throws IOException {
    for (String id : List.of("trace_id", "span_id")) {
      if (!has(file, id)) {
        throw new IOException("no spans: it has no column " + id);
      }
    }
    List<Type> known = new ArrayList<>();
    boolean hasResource = hasAllResources && has(file, "resource_attributes");
    for (Type column : file.getFields()) {
      String name = column.getName();
      String of = DERIVED.get(name);
      boolean isAgain =
          (of != null && has(file, of))
              || (hasResource
                  && (SpanSchema.OF_RESOURCE.containsKey(name)
                      || name.equals(SpanSchema.PROCESS_PID)));
      if (SpanSchema.SPAN.containsField(name) && !isAgain && !isEmpty(column)) {
        known.add(same(column, SpanSchema.SPAN.getType(name)));
      }
    }
    return new MessageType(file.getName(), known);
  }

  private static boolean has(MessageType file, String column) {
    return file.containsField(column) && !isEmpty(file.getType(column));
  }

  /** Whether the type of a column allows no values, as other writers do if all rows are null. */
  private static boolean isEmpty(Type column) {
    return column.isPrimitive()
        ? column.getLogicalTypeAnnotation() instanceof UnknownLogicalTypeAnnotation
        : column.asGroupType().getFields().stream().allMatch(KnownColumns::isEmpty);
  }

  /** The column with those parts that are known. */
  private static Type same(Type column, Type ours) throws IOException {
    if (ours.isPrimitive()) {
      if (!column.isPrimitive() || !isSame(column.asPrimitiveType(), ours.asPrimitiveType())) {
        throw other(column, ours);
      }
      return column;
    }
    if (column.isPrimitive()) {
      throw other(column, ours);
    }
    GroupType group = column.asGroupType();
    GroupType known = ours.asGroupType();
    List<Type> parts = new ArrayList<>();
    boolean isRepeated =
        known.getFieldCount() == 1 && known.getType(0).isRepetition(Type.Repetition.REPEATED);
    if (isRepeated) {
      // The single part of a map or a list has many names.
      if (group.getFieldCount() != 1 || !group.getType(0).isRepetition(Type.Repetition.REPEATED)) {
        throw other(column, ours);
      }
      parts.add(same(group.getType(0), known.getType(0)));
    } else if (ours.isRepetition(Type.Repetition.REPEATED)) {
      if (group.getFieldCount() != known.getFieldCount()) {
        throw other(column, ours);
      }
      for (int i = 0; i < known.getFieldCount(); i++) {
        parts.add(same(group.getType(i), known.getType(i)));
      }
    } else {
      for (Type part : group.getFields()) {
        if (known.containsField(part.getName()) && !isEmpty(part)) {
          parts.add(same(part, known.getType(part.getName())));
        }
      }
    }
    if (parts.isEmpty()) {
      throw other(column, ours);
    }
    return group.withNewFields(parts);
  }

  /** Numbers of another type count where they are the same numbers, which {@link Leaf} sees to. */
  private static boolean isSame(PrimitiveType column, PrimitiveType ours) {
    PrimitiveTypeName type = column.getPrimitiveTypeName();
    boolean isNumber =
        ours.getPrimitiveTypeName() == PrimitiveTypeName.INT64
            || ours.getPrimitiveTypeName() == PrimitiveTypeName.DOUBLE;
    boolean isTime =
        type == PrimitiveTypeName.INT96 // older Spark, and Hive
            && ours.getLogicalTypeAnnotation() instanceof TimestampLogicalTypeAnnotation;
    return type == ours.getPrimitiveTypeName()
        || isTime
        || (isNumber
            && NUMBERS.contains(type)
            && !(column.getLogicalTypeAnnotation() instanceof DecimalLogicalTypeAnnotation));
  }

  private static IOException other(Type column, Type ours) {
    return new IOException(
        "column " + column.getName() + " is of another type than in docs/parquet.md, not " + ours);
  }
}
