package io.rollotel.parquet;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.jspecify.annotations.Nullable;

/** A column while its values are read one after the other. */
final class Leaf {

  /** Whole numbers up to here are doubles, each of them another one. */
  private static final double MOST_EXACT = 1L << 53;

  private static final long JULIAN_DAY_OF_1970 = 2_440_588;
  private static final long NANOS_OF_DAY = 86_400_000_000_000L;

  private final ColumnReader reader;
  private final int present;
  private final PrimitiveTypeName type;
  private final boolean isUnsigned;
  private final long nanos;

  Leaf(ColumnReader reader) {
    ColumnDescriptor column = reader.getDescriptor();
    this.reader = reader;
    this.present = column.getMaxDefinitionLevel();
    this.type = column.getPrimitiveType().getPrimitiveTypeName();
    LogicalTypeAnnotation annotation = column.getPrimitiveType().getLogicalTypeAnnotation();
    this.isUnsigned = annotation instanceof IntLogicalTypeAnnotation of && !of.isSigned();
    this.nanos = annotation instanceof TimestampLogicalTypeAnnotation of ? nanos(of.getUnit()) : 1;
  }

  private static long nanos(LogicalTypeAnnotation.TimeUnit unit) {
    return switch (unit) {
      case MILLIS -> 1_000_000;
      case MICROS -> 1_000;
      case NANOS -> 1;
    };
  }

  /** Whether there is something at that level to which the value, or its absence, belongs. */
  boolean isWithin(int definition) {
    return reader.getCurrentDefinitionLevel() >= definition;
  }

  /** Whether the value continues the list or map of that level. */
  boolean isFurther(int repetition) {
    return reader.getCurrentRepetitionLevel() >= repetition;
  }

  private boolean isPresent() {
    return reader.getCurrentDefinitionLevel() == present;
  }

  /** Skips the value. */
  void skip() {
    if (isPresent()) {
      reader.skip();
    }
    reader.consume();
  }

  /** The text or the bytes, null for none; moves after it. */
  @Nullable Binary binary() {
    Binary value = isPresent() ? reader.getBinary() : null;
    reader.consume();
    return value;
  }

  /**
   * The number, null for none; for a point in time, in nanoseconds. Moves after it.
   *
   * @throws IllegalArgumentException if it is none of 64 bits
   */
  @Nullable Long number() {
    if (!isPresent()) {
      reader.consume();
      return null;
    }
    Long value =
        switch (type) {
          case INT32 ->
              isUnsigned ? Integer.toUnsignedLong(reader.getInteger()) : reader.getInteger();
          case FLOAT -> whole(reader.getFloat());
          case DOUBLE -> whole(reader.getDouble());
          case INT96 -> time(reader.getBinary());
          default -> Long.valueOf(reader.getLong());
        };
    reader.consume();
    return value == null || nanos == 1 ? value : Long.valueOf(Math.multiplyExact(value, nanos));
  }

  /** A time as older writers have it: the nanoseconds of the day, and the Julian day. */
  private static long time(Binary twelveBytes) {
    ByteBuffer bytes = twelveBytes.toByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    long ofDay = bytes.getLong();
    long day = bytes.getInt() - JULIAN_DAY_OF_1970;
    return Math.addExact(Math.multiplyExact(day, NANOS_OF_DAY), ofDay);
  }

  /** pandas converts whole numbers to doubles if some are missing; not a number is its null. */
  private @Nullable Long whole(double value) {
    if (Double.isNaN(value)) {
      return null;
    }
    if (value != Math.rint(value) || Math.abs(value) > MOST_EXACT) {
      throw new IllegalArgumentException(
          "column "
              + String.join(".", reader.getDescriptor().getPath())
              + " has "
              + value
              + " where a whole number belongs; above 2^53 these are not exact any more");
    }
    return (long) value;
  }

  @Nullable Boolean bool() {
    Boolean value = isPresent() ? reader.getBoolean() : null;
    reader.consume();
    return value;
  }

  @Nullable Double floating() {
    if (!isPresent()) {
      reader.consume();
      return null;
    }
    double value =
        switch (type) {
          case INT32 -> reader.getInteger();
          case INT64 -> (double) reader.getLong();
          case FLOAT -> reader.getFloat();
          default -> reader.getDouble();
        };
    reader.consume();
    return value;
  }
}
