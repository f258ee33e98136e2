package io.rollotel.traces.file;

import java.io.Closeable;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import org.jspecify.annotations.Nullable;

/**
 * Appends export requests to a traces file, each as one line of OTLP/JSON.
 *
 * <p>A line is with the operating system when {@link #write} returns: it survives the end of this
 * process, though not that of the machine. Safe for use by several threads; a file has one writer.
 */
public final class TracesWriter implements Closeable {

  /** The largest request that is translated, in bytes. */
  public static final int MAX_REQUEST_BYTES = 64 << 20;

  private final File file;
  private final JsonLine line = new JsonLine();
  private final LineTranslator translator = new LineTranslator(line);

  // Not a channel: an interrupt of the writing thread would close it.
  private @Nullable FileOutputStream out;
  private boolean isClosed;

  private TracesWriter(File file, FileOutputStream out) {
    this.file = file;
    this.out = out;
  }

  /**
   * Opens a file to append to; creates it, and the directories above it, where they are missing.
   *
   * <p>Where the file ends in a torn line, which a killed process has left, that line is ended
   * first, so that it spoils no other.
   *
   * @throws IOException if the file cannot be created or written
   */
  public static TracesWriter open(File file) throws IOException {
    return new TracesWriter(file, append(file));
  }

  /**
   * Appends a protobuf {@code ExportTraceServiceRequest}; one without spans leaves no line.
   *
   * <p>After an {@code IOException} a part of the line may stand in the file. The next call opens
   * the file again and ends that part, so a failed request can be written again as a whole.
   *
   * @return the number of spans written
   * @throws IOException if the file cannot be written, or this writer is closed
   * @throws MalformedRequestException if the bytes are no such request; nothing is written
   */
  public synchronized int write(byte[] request, int offset, int length)
      throws IOException, MalformedRequestException {
    if (isClosed) {
      throw new IOException("closed");
    }
    if (length > MAX_REQUEST_BYTES) {
      throw new MalformedRequestException(
          "request of " + length + " bytes, more than " + MAX_REQUEST_BYTES);
    }
    try {
      int spans = translator.translate(request, offset, length);
      if (spans != 0) {
        line.newline();
        writeLine();
      }
      return spans;
    } finally {
      line.clear();
    }
  }

  private void writeLine() throws IOException {
    FileOutputStream open = out;
    if (open == null) {
      open = append(file);
      out = open;
    }
    try {
      line.writeTo(open);
    } catch (IOException e) {
      out = null;
      try {
        open.close();
      } catch (IOException close) {
        e.addSuppressed(close);
      }
      throw e;
    }
  }

  private static FileOutputStream append(File file) throws IOException {
    File parent = file.getAbsoluteFile().getParentFile();
    if (parent != null) {
      Files.createDirectories(parent.toPath());
    }
    FileOutputStream out = new FileOutputStream(file, true);
    try {
      if (endsInTornLine(file)) {
        out.write('\n');
      }
      return out;
    } catch (IOException e) {
      out.close();
      throw e;
    }
  }

  private static boolean endsInTornLine(File file) throws IOException {
    if (!file.isFile()) {
      return false; // A pipe or a device cannot be looked at.
    }
    try (RandomAccessFile content = new RandomAccessFile(file, "r")) {
      long length = content.length();
      if (length == 0) {
        return false;
      }
      content.seek(length - 1);
      return content.read() != '\n';
    }
  }

  /** Closes the file; further writes fail. */
  @Override
  public synchronized void close() throws IOException {
    isClosed = true;
    FileOutputStream open = out;
    out = null;
    if (open != null) {
      open.close();
    }
  }
}
