package io.rollotel.traces.query;

import java.math.BigDecimal;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** The values of attributes as text, the same as in the page's JavaScript. */
final class AttributeText {

  /** The number from which JavaScript uses exponents. */
  private static final double LARGE = 1e21;

  private static final double SMALL = 1e-6;

  private AttributeText() {}

  static String of(Object value) {
    if (value instanceof String text) {
      return text;
    }
    if (value instanceof byte[] bytes) {
      return Base64.getEncoder().encodeToString(bytes);
    }
    StringBuilder json = new StringBuilder();
    append(json, value);
    return json.toString();
  }

  private static void append(StringBuilder json, Object value) {
    if (value instanceof Double number && Double.isFinite(number)) {
      json.append(number(number));
    } else if (value instanceof Double number) {
      json.append(number);
    } else if (value instanceof Long || value instanceof Boolean) {
      json.append(value);
    } else if (value instanceof List<?> list) {
      String before = "[";
      for (Object element : list) {
        append(json.append(before), element);
        before = ",";
      }
      json.append(list.isEmpty() ? "[]" : "]");
    } else if (value instanceof Map<?, ?> map) {
      String before = "{";
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        quote(json.append(before), String.valueOf(entry.getKey()));
        append(json.append(':'), entry.getValue());
        before = ",";
      }
      json.append(map.isEmpty() ? "{}" : "}");
    } else {
      quote(json, of(value instanceof byte[] ? value : String.valueOf(value)));
    }
  }

  private static String number(double number) {
    double size = Math.abs(number);
    if (number == 0) {
      return "0";
    }
    BigDecimal exact = new BigDecimal(Double.toString(number)).stripTrailingZeros();
    if (size >= SMALL && size < LARGE) {
      return exact.toPlainString();
    }
    String digits = exact.unscaledValue().abs().toString();
    int exponent = digits.length() - 1 - exact.scale();
    return (number < 0 ? "-" : "")
        + digits.charAt(0)
        + (digits.length() > 1 ? "." + digits.substring(1) : "")
        + (exponent < 0 ? "e-" : "e+")
        + Math.abs(exponent);
  }

  private static void quote(StringBuilder json, String text) {
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> json.append('\\').append(c);
        case '\b' -> json.append("\\b");
        case '\f' -> json.append("\\f");
        case '\n' -> json.append("\\n");
        case '\r' -> json.append("\\r");
        case '\t' -> json.append("\\t");
        default -> {
          if (c < ' ') {
            json.append(String.format("\\u%04x", (int) c));
          } else {
            json.append(c);
          }
        }
      }
    }
    json.append('"');
  }
}
