package io.rollotel.traces.file;

import io.rollotel.traces.otlp.JsonLine;
import io.rollotel.traces.otlp.LineTranslator;
import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.RequestEncoder;
import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.otlp.UnreadableLineException;
import io.rollotel.traces.otlp.WireBuffer;
import java.io.Closeable;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Appends export requests to a file, each as one line of OTLP/JSON: spans, or another signal.
 *
 * <p>When {@link #write} returns, the operating system has the line: it survives the end of this
 * process, but a crash of the machine only with {@link FileRules#isFsync}. Safe for use by several
 * threads, which translate side by side; a file has one writer.
 */
public final class TracesWriter implements Closeable {

  /** The size of a JSON request beyond which its translation is large. */
  private static final int LARGE_BYTES = 2 << 20;

  /**
   * A JSON request may take twice its length in protobuf, and this much in any case. Short numbers
   * in an array can take four times as much, and whoever sends only these would fill the memory.
   */
  private static final int ALWAYS_BYTES = 4 << 20;

  /** Determined once, because in a container it requires reading several files. */
  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

  private final File file;
  private final Signal signal;
  private final FileRules rules;
  private final FileRotation rotation;

  private final ArrayDeque<Translation> idle = new ArrayDeque<>(); // guarded by itself

  // Guarded by this. Not a channel: an interrupt of the writing thread would close it.
  private @Nullable FileOutputStream out;
  private @Nullable Object openedKey;
  private @Nullable Consumer<String> told;
  private long lengthBytes;
  private long lines;
  private boolean isClosed;

  private TracesWriter(File file, Signal signal, FileRules rules, @Nullable Consumer<String> told) {
    this.told = told;
    this.file = file;
    this.signal = signal;
    this.rules = rules;
    this.rotation = new FileRotation(file, rules.isGzip(), new RunBytes.SystemClock());
  }

  /** Opens a file of spans with {@link FileRules#DEFAULT}. */
  public static TracesWriter open(File file) throws IOException {
    return open(file, Signal.TRACES, FileRules.DEFAULT);
  }

  /**
   * Opens a file for appending; creates it and its directories if missing.
   *
   * <p>If the file ends with a truncated line of a killed process, that line is ended first, so
   * that it damages no other.
   *
   * @throws IOException if the file cannot be created or written
   */
  public static TracesWriter open(File file, Signal signal, FileRules rules) throws IOException {
    return open(file, signal, rules, null);
  }

  /**
   * As {@link #open(File, Signal, FileRules)}. If the file is deleted or moved while it is open, it
   * is created again, including directories, with the line that was being written.
   *
   * @param told receives one line the first time that happens; null for none
   */
  public static TracesWriter open(
      File file, Signal signal, FileRules rules, @Nullable Consumer<String> told)
      throws IOException {
    TracesWriter writer = new TracesWriter(file, signal, rules, told);
    writer.opened();
    return writer;
  }

  /**
   * Appends a request in protobuf; an empty one adds no line.
   *
   * <p>After an {@code IOException}, the next call opens the file again and continues after the
   * last complete line, so a failed request can be written again as a whole.
   *
   * @return the number of spans, data points or log records written
   * @throws IOException if the file cannot be written, or this writer is closed
   * @throws MalformedRequestException if the bytes are no such request; nothing is written
   */
  public int write(byte[] request, int offset, int length)
      throws IOException, MalformedRequestException {
    check(length);
    Translation translation = take(false);
    try {
      return write(translation, request, offset, length);
    } finally {
      giveBack(translation);
    }
  }

  /** The same for a request in OTLP/JSON. */
  public int writeJson(byte[] request, int offset, int length)
      throws IOException, MalformedRequestException {
    check(length);
    Translation translation = take(length > LARGE_BYTES);
    try {
      RequestEncoder encoder = translation.encoder;
      encoder.encode(request, offset, length, signal, Math.max(ALWAYS_BYTES, 2 * length));
      return write(translation, encoder.bytes(), 0, encoder.length());
    } catch (UnreadableLineException e) {
      throw new MalformedRequestException(String.valueOf(e.getMessage()));
    } finally {
      giveBack(translation);
    }
  }

  private int write(Translation translation, byte[] request, int offset, int length)
      throws IOException, MalformedRequestException {
    int records = translation.translator.translate(signal, request, offset, length);
    if (records != 0) {
      translation.line.newline();
      append(translation, request, offset, length);
    }
    return records;
  }

  private synchronized void check(int length) throws IOException, MalformedRequestException {
    if (isClosed) {
      throw new IOException("closed");
    }
    if (length > WireBuffer.MAX_REQUEST_BYTES) {
      throw new MalformedRequestException(
          "request of " + length + " bytes, more than " + WireBuffer.MAX_REQUEST_BYTES);
    }
  }

  private Translation take(boolean isLarge) {
    synchronized (idle) {
      Translation free = isLarge ? idle.pollLast() : idle.poll();
      return free == null ? new Translation() : free;
    }
  }

  /** Keeps as many as are used concurrently, but only one large one, as the last. */
  private void giveBack(Translation translation) {
    translation.line.clear();
    boolean isLarge = translation.encoder.isLarge();
    synchronized (idle) {
      Translation last = idle.peekLast();
      if (idle.size() >= PROCESSORS || (isLarge && last != null && last.encoder.isLarge())) {
        return;
      }
      if (isLarge) {
        idle.add(translation);
      } else {
        idle.push(translation);
      }
    }
  }

  private synchronized void append(Translation translation, byte[] request, int offset, int length)
      throws IOException, MalformedRequestException {
    if (isClosed) {
      throw new IOException("closed");
    }
    long lineBytes = translation.line.length();
    rules.runBytes().take(lineBytes);
    FileOutputStream open = opened();
    if (isFull(lineBytes) && rotation.mayTry() && !isGone()) {
      open.close();
      out = null;
      rotation.rotate();
      open = opened();
    }
    put(translation, request, offset, length, open);
    if (isGone()) {
      // Checked after the write, because acknowledged data must be in a file that still has its
      // name.
      open.close();
      out = null;
      open = opened();
      put(translation, request, offset, length, open);
      tellMadeAgain();
    }
    lengthBytes += lineBytes;
    lines++;
  }

  private void put(
      Translation translation, byte[] request, int offset, int length, FileOutputStream open)
      throws IOException, MalformedRequestException {
    JsonLine line = translation.line;
    try {
      if (!line.isWhole()) {
        // Too long for memory. It has been found valid; now it is created again, into the file.
        line.clear();
        line.spillTo(open);
        translation.translator.translate(signal, request, offset, length);
        line.newline();
      }
      line.writeTo(open);
      if (rules.isFsync()) {
        open.getFD().sync();
      }
    } catch (IOException | MalformedRequestException | RuntimeException | Error e) {
      out = null;
      cutBack(open, e);
      throw e;
    }
  }

  /** Whether the file was deleted, moved or replaced. */
  private boolean isGone() {
    return openedKey != null && !openedKey.equals(key());
  }

  /**
   * Distinguishes a file from another one with the same name; null if it is not a regular file, or
   * its file system has no such keys.
   */
  private @Nullable Object key() {
    try {
      BasicFileAttributes found = Files.readAttributes(file.toPath(), BasicFileAttributes.class);
      return found.isRegularFile() ? found.fileKey() : null;
    } catch (IOException | RuntimeException none) {
      return null;
    }
  }

  private void tellMadeAgain() {
    Consumer<String> listening = told;
    told = null; // once is enough
    if (listening != null) {
      listening.accept(
          file + " was deleted or moved away: it is created again, without its former content");
    }
  }

  private boolean isFull(long moreBytes) {
    return lengthBytes != 0
        && ((rules.maxBytes() != 0 && lengthBytes + moreBytes > rules.maxBytes())
            || (rules.maxLines() != 0 && lines >= rules.maxLines()));
  }

  /** Removes the incomplete line of a failed write. */
  private void cutBack(FileOutputStream open, Throwable reason) {
    try {
      open.close();
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
    if (!file.isFile() || file.length() <= lengthBytes || isGone()) {
      return; // a pipe or a device, nothing was written, or it is another file
    }
    try (RandomAccessFile content = new RandomAccessFile(file, "rw")) {
      content.setLength(lastLineEnd(content));
    } catch (IOException e) {
      reason.addSuppressed(e); // the next opening ends the truncated line
    }
  }

  /**
   * After the last complete line. It may not be ours: if a directory was deleted and created again,
   * two collectors may write the same file.
   */
  private long lastLineEnd(RandomAccessFile content) throws IOException {
    byte[] part = new byte[8 << 10];
    for (long end = content.length(); end > lengthBytes; ) {
      int length = (int) Math.min(part.length, end - lengthBytes);
      end -= length;
      content.seek(end);
      content.readFully(part, 0, length);
      for (int i = length - 1; i >= 0; i--) {
        if (part[i] == '\n') {
          return end + i + 1;
        }
      }
    }
    return lengthBytes;
  }

  private synchronized FileOutputStream opened() throws IOException {
    FileOutputStream open = out;
    if (open != null) {
      return open;
    }
    File parent = file.getAbsoluteFile().getParentFile();
    if (parent != null) {
      Files.createDirectories(parent.toPath());
    }
    open = SharedFolder.append(file);
    try {
      // At once, because a large file may be deleted while it is being read.
      openedKey = key();
      if (openedKey == null && !file.exists()) {
        throw new IOException(file + " was deleted while it was opened");
      }
      if (endsInTornLine(file)) {
        open.write('\n');
      }
      lengthBytes = file.isFile() ? file.length() : 0;
      lines = rules.maxLines() == 0 || lengthBytes == 0 ? 0 : countLines(file);
      out = open;
      return open;
    } catch (IOException e) {
      open.close();
      throw e;
    }
  }

  private static long countLines(File file) throws IOException {
    try (InputStream in = Files.newInputStream(file.toPath())) {
      LineSource lines = new LineSource(in);
      while (lines.nextLine()) {
        // on to the last
      }
      return lines.lineNumber();
    }
  }

  private static boolean endsInTornLine(File file) throws IOException {
    if (!file.isFile()) {
      return false; // A pipe or a device cannot be inspected.
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

  /**
   * Closes the file; further writes fail. Waits for the compression of files set aside, ten seconds
   * at most.
   */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      isClosed = true;
      FileOutputStream open = out;
      out = null;
      if (open != null) {
        open.close();
      }
    }
    rotation.close();
  }

  /** The buffers for translating one request; reused. */
  private static final class Translation {
    final JsonLine line = new JsonLine();
    final LineTranslator translator = new LineTranslator(line);
    final RequestEncoder encoder = new RequestEncoder();
  }
}
