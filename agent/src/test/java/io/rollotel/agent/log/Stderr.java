package io.rollotel.agent.log;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What goes to stderr until this is closed. */
public final class Stderr implements AutoCloseable {

  private final PrintStream before = System.err;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  public Stderr() {
    System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
  }

  /**
   * What the agent printed; others print too, such as an SDK of an earlier test that still exports.
   */
  public List<String> lines() {
    return bytes
        .toString(StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.startsWith("[roll-otel]"))
        .toList();
  }

  @Override
  public void close() {
    System.setErr(before);
  }
}
