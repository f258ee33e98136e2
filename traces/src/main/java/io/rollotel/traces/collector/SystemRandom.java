package io.rollotel.traces.collector;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.SecureRandom;
import java.util.HexFormat;

/** Random bytes of the operating system, for ids and tokens. Any thread. */
public final class SystemRandom {

  private SystemRandom() {}

  /**
   * Random bytes. Read directly if possible, because SecureRandom loads some hundred classes of
   * security providers.
   */
  public static byte[] bytes(int count) {
    try (InputStream in = new FileInputStream("/dev/urandom")) {
      byte[] random = in.readNBytes(count);
      if (random.length == count) {
        return random;
      }
    } catch (IOException notUnix) {
      // Below.
    }
    byte[] random = new byte[count];
    new SecureRandom().nextBytes(random);
    return random;
  }

  /** The same as text, two hexadecimal digits for each byte. */
  public static String hex(int bytes) {
    return HexFormat.of().formatHex(bytes(bytes));
  }
}
