package io.rollotel.traces.otlp;

import java.math.BigDecimal;

/** A finite double as Go, and so otelcol, prints it in JSON. */
final class GoDouble {

  private GoDouble() {}

  static String text(double value) {
    if (value == 0) {
      return 1 / value < 0 ? "-0" : "0";
    }
    BigDecimal decimal = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    double magnitude = Math.abs(value);
    if (magnitude >= 1e-6 && magnitude < 1e21) {
      return decimal.toPlainString();
    }
    int exponent = decimal.precision() - decimal.scale() - 1;
    String mantissa = decimal.movePointLeft(exponent).toPlainString();
    String digits = Integer.toString(Math.abs(exponent));
    return mantissa + (exponent < 0 ? "e-" : "e+") + (digits.length() < 2 ? "0" : "") + digits;
  }
}
