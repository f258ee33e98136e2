package io.rollotel.traces.partition;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Values of attributes, of the types that {@link io.rollotel.traces.otlp.Span} names. */
final class Values {

  static final int TYPE_BITS = 3;

  private static final int TEXT = 0;
  private static final int LONG = 1;
  private static final int TRUE = 2;
  private static final int FALSE = 3;
  private static final int DOUBLE = 4;
  private static final int BYTES = 5;
  private static final int LIST = 6;
  private static final int MAP = 7;

  private Values() {}

  /** Its number, below 2 to the power of {@link #TYPE_BITS}. */
  static int type(Object value) {
    if (value instanceof String) {
      return TEXT;
    } else if (value instanceof Long) {
      return LONG;
    } else if (value instanceof Boolean is) {
      return is ? TRUE : FALSE;
    } else if (value instanceof Double) {
      return DOUBLE;
    } else if (value instanceof byte[]) {
      return BYTES;
    } else if (value instanceof List) {
      return LIST;
    } else if (value instanceof Map) {
      return MAP;
    }
    throw new IllegalArgumentException("no value of an attribute: " + value.getClass());
  }

  /** Writes a value whose type the reader knows. */
  static void write(Bytes out, KnownTexts texts, Object value) {
    if (value instanceof String text) {
      texts.write(out, text);
    } else if (value instanceof Long number) {
      out.zigzag(number);
    } else if (value instanceof Double number) {
      out.fixed64(Double.doubleToRawLongBits(number));
    } else if (value instanceof byte[] bytes) {
      out.bytes(bytes);
    } else if (value instanceof List<?> list) {
      out.varint(list.size());
      for (Object element : list) {
        out.u8(type(element));
        write(out, texts, element);
      }
    } else if (value instanceof Map<?, ?> map) {
      attributes(out, texts, map);
    }
  }

  static void attributes(Bytes out, KnownTexts texts, Map<?, ?> attributes) {
    out.varint(attributes.size());
    for (Map.Entry<?, ?> entry : attributes.entrySet()) {
      texts.write(out, (String) entry.getKey());
      out.u8(type(entry.getValue()));
      write(out, texts, entry.getValue());
    }
  }

  static Object read(Cursor in, TextReader texts, int type) {
    return switch (type) {
      case TEXT -> texts.read(in);
      case LONG -> in.zigzag();
      case TRUE -> true;
      case FALSE -> false;
      case DOUBLE -> Double.longBitsToDouble(in.fixed64());
      case BYTES -> in.bytes();
      case LIST -> list(in, texts);
      default -> attributes(in, texts);
    };
  }

  private static List<Object> list(Cursor in, TextReader texts) {
    int size = in.integer();
    List<Object> values = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      values.add(read(in, texts, in.u8()));
    }
    return Collections.unmodifiableList(values);
  }

  static Map<String, Object> attributes(Cursor in, TextReader texts) {
    int size = in.integer();
    if (size == 0) {
      return Map.of();
    }
    if (size == 1) {
      String key = texts.read(in);
      return Map.of(key, read(in, texts, in.u8()));
    }
    Map<String, Object> attributes = new LinkedHashMap<>(2 * size);
    for (int i = 0; i < size; i++) {
      String key = texts.read(in);
      attributes.put(key, read(in, texts, in.u8()));
    }
    return Collections.unmodifiableMap(attributes);
  }
}
