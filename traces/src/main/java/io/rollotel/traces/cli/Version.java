package io.rollotel.traces.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import picocli.CommandLine.IVersionProvider;

/**
 * The version, which the build writes into a resource, because a class loader may not provide a
 * manifest.
 */
public final class Version implements IVersionProvider {

  /** Made by picocli. */
  public Version() {}

  @Override
  public String[] getVersion() throws IOException {
    try (InputStream in = Version.class.getResourceAsStream("version.txt")) {
      String version = in == null ? "unknown" : new String(in.readAllBytes(), UTF_8).trim();
      return new String[] {
        "roll-otel " + version, "Java " + Runtime.version(),
      };
    }
  }
}
