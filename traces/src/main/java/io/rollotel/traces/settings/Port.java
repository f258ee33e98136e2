package io.rollotel.traces.settings;

import org.jspecify.annotations.Nullable;

/** A port to listen on: 0 for any free one, {@link #NONE} for none. */
public final class Port extends Parser<Long> {

  /** The value of {@code none}. */
  public static final long NONE = -1;

  private static final String NONE_IN_WORDS = "none";

  private final Parser<Long> number;

  public Port() {
    super("a port from 0 to 65535, or none");
    number = number(0, 65_535, takes());
  }

  @Override
  @Nullable Long parse(String text) {
    return text.equalsIgnoreCase(NONE_IN_WORDS) ? (Long) NONE : number.parse(text);
  }

  @Override
  String shown(Long value) {
    return value == NONE ? NONE_IN_WORDS : super.shown(value);
  }
}
