package io.rollotel.traces.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The standard output, which remembers that it could not be written: {@link java.io.PrintStream}
 * and {@link java.io.PrintWriter} keep that to themselves, without the reason.
 */
final class StandardOutput extends FilterOutputStream {

  private final Path link;

  private @Nullable IOException failure;

  /**
   * Of any stream.
   *
   * @param link a link that names what it leads to, if the system has one
   */
  StandardOutput(OutputStream to, Path link) {
    super(to);
    this.link = link;
  }

  /** That of this process, also if {@code System.out} was replaced. */
  static StandardOutput ofThisProcess() {
    return new StandardOutput(new FileOutputStream(FileDescriptor.out), Path.of("/proc/self/fd/1"));
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    if (failure != null) {
      // What follows a gap would be no use. Another object: callers add one failure to the other.
      throw new IOException(failure.getMessage(), failure);
    }
    try {
      out.write(bytes, from, length);
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  /** Whether this is the exception that a caller got from here. */
  boolean isFailure(Exception e) {
    return failure != null && (e == failure || e.getCause() == failure);
  }

  /**
   * What the user should know: something is missing. Null if nothing is, or if the reader has
   * closed the pipe, for example {@code head}.
   */
  @Nullable String complaint() {
    if (failure == null) {
      return null;
    }
    String reason = failure.getMessage() == null ? failure.toString() : failure.getMessage();
    boolean isClosedPipe = reason.toLowerCase(Locale.ROOT).contains("pipe") || leadsToPipe();
    return isClosedPipe ? null : "Cannot write to standard output: " + reason + ".";
  }

  /** The reason, which names the pipe, is in the user's language. */
  private boolean leadsToPipe() {
    try {
      return Files.readSymbolicLink(link).toString().startsWith("pipe:");
    } catch (IOException | UnsupportedOperationException notLinux) {
      return false;
    }
  }
}
