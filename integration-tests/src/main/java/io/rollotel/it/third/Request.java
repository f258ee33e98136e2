package io.rollotel.it.third;

import java.util.Map;

/**
 * Its getter is a default method of an interface of this package, for which the compiler creates no
 * bridge.
 */
public final class Request implements HiddenDefault {

  private final Map<String, Object> values;

  /** A request with this meta_info. */
  public Request(Map<String, Object> values) {
    this.values = values;
  }

  @Override
  public Map<String, Object> values() {
    return values;
  }
}
