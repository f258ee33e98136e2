package io.rollotel.traces.settings;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * An address of this host. It has no factory method in {@link Parser}, so that it is not loaded
 * before main.
 */
public final class Address extends Parser<InetAddress> {

  /** A name is resolved while it is parsed. */
  public Address() {
    super("an address of this host");
  }

  @Override
  @Nullable InetAddress parse(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      return null;
    }
  }

  @Override
  String shown(InetAddress value) {
    return value.getHostAddress();
  }
}
