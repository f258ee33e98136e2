package io.rollotel.traces.file;

import io.rollotel.traces.otlp.RequestEncoder;
import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.otlp.UnreadableLineException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A file of spans that was set aside and is being sent to its endpoint: line by line; each counts
 * as sent once it is accepted, and the file is deleted when all are. A process that dies meanwhile
 * leaves a note of its progress.
 *
 * <p>A doubtful line is skipped and returned once more later. Until then, the note stays before it,
 * so at most {@link #MOST_AHEAD} lines are sent again after a kill. Lines that no endpoint will
 * ever accept go into {@code refused/} beside the file. Readers find them there, and no process
 * sends them again. For one thread.
 */
public final class WaitingFile implements Closeable {

  /** After this many further lines, a doubtful line is sent once more. */
  static final int MOST_AHEAD = 32;

  /** The folder for lines that no endpoint accepted. */
  static final String REFUSED = "refused";

  /**
   * The files that this process has claimed. Closing any channel to one of them would release its
   * lock, so no other code here opens them.
   */
  private static final Set<Path> CLAIMED = ConcurrentHashMap.newKeySet();

  private final Path file;
  private final FileChannel channel;
  private final RequestEncoder encoder = new RequestEncoder();

  private @Nullable LineSource lines;

  /** A skipped line. */
  private record Doubt(long startBytes, long endBytes) {}

  private final Deque<Doubt> doubts = new ArrayDeque<>();

  /** Whether skipped lines are returned now. */
  private boolean isBack;

  /** The position at which {@link #lines} begins. */
  private long linesBytes;

  /** How many lines were read since the first skipped one. */
  private int ahead;

  /** The start of the next line that was not returned; in decompressed bytes, like the others. */
  private long forwardBytes;

  /** The start and the end of the line that was returned last. */
  private long startBytes;

  private long endBytes;

  private final RefusedLines refused;
  private long sentSpans;
  private final boolean isOfThisProcess;

  private WaitingFile(Path file, FileChannel channel, WaitingNote note) throws IOException {
    this.file = file;
    this.channel = channel;
    refused = new RefusedLines(file, this::from);
    isOfThisProcess = note.writer().equals(ProcessMark.ofThis());
    long noted = note.sentBytes();
    forwardBytes = noted > 0 && isLineStart(noted) ? noted : 0;
  }

  /**
   * Claims a file that was set aside.
   *
   * @return null if another process or another part of this one has claimed it, it is gone, or it
   *     does not wait
   * @throws IOException if it cannot be opened, or its file system has no locks
   */
  static @Nullable WaitingFile claim(Path file) throws IOException {
    if (!CLAIMED.add(file)) {
      return null;
    }
    FileChannel channel = null;
    WaitingFile claimed = null;
    try {
      channel =
          FileChannel.open(
              file,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE, // a lock needs this
              LinkOption.NOFOLLOW_LINKS);
      FileLock lock = channel.tryLock();
      // Its former owner may have sent and deleted it since it was opened.
      WaitingNote note =
          lock != null && Files.exists(file, LinkOption.NOFOLLOW_LINKS)
              ? WaitingHold.note(file)
              : null;
      if (note != null) {
        claimed = new WaitingFile(file, channel, note);
      }
      return claimed;
    } catch (OverlappingFileLockException anotherPart) {
      return null;
    } finally {
      if (claimed == null) {
        if (channel != null) {
          channel.close();
        }
        CLAIMED.remove(file);
      }
    }
  }

  static boolean isClaimed(Path file) {
    return CLAIMED.contains(file);
  }

  /**
   * The next request that has not been accepted; null if all have. Lines that are not requests are
   * skipped.
   *
   * @throws IOException if the file cannot be read
   */
  public byte @Nullable [] next() throws IOException {
    if (isBack && doubts.isEmpty()) {
      isBack = false;
      ahead = 0;
      lines = null;
      note(forwardBytes);
    }
    if (!isBack) {
      byte[] request = doubts.isEmpty() || ahead < MOST_AHEAD ? forward() : null;
      if (request != null || doubts.isEmpty()) {
        return request;
      }
      isBack = true;
    }
    lines = null;
    startBytes = doubts.element().startBytes;
    LineSource source = new LineSource(from(startBytes));
    if (!source.nextLine() || !isRequest(source)) {
      throw new IOException("a line of it has changed");
    }
    endBytes = doubts.element().endBytes;
    return Arrays.copyOf(encoder.bytes(), encoder.length());
  }

  private byte @Nullable [] forward() throws IOException {
    LineSource source = lines;
    if (source == null) {
      source = new LineSource(from(forwardBytes));
      lines = source;
      linesBytes = forwardBytes;
    }
    while (source.nextLine()) {
      boolean isRequest = isRequest(source);
      source.endsWithFile(); // skip the rest of the line
      startBytes = forwardBytes;
      endBytes = linesBytes + source.offset();
      if (isRequest && encoder.records() > 0) {
        return Arrays.copyOf(encoder.bytes(), encoder.length());
      }
      if (isRequest) {
        done();
      } else {
        refuse();
      }
    }
    return null;
  }

  private boolean isRequest(LineSource source) throws IOException {
    try {
      encoder.encode(source, Signal.TRACES);
      return true;
    } catch (UnreadableLineException e) {
      return false;
    }
  }

  /** The number of spans in the last request of {@link #next}. */
  public int spans() {
    return encoder.records();
  }

  /** The last request was accepted, and is never returned again. */
  public void taken() {
    taken(encoder.records());
  }

  /**
   * This many of its spans were accepted; all others were refused before. It is never returned
   * again.
   */
  public void taken(int spans) {
    sentSpans += spans;
    done();
  }

  private void done() {
    if (isBack) {
      doubts.remove();
      return;
    }
    forwardBytes = endBytes;
    if (doubts.isEmpty()) {
      note(endBytes);
    } else {
      ahead++;
    }
  }

  /** Whether the last request was skipped before. */
  public boolean isGivenOnceMore() {
    return isBack;
  }

  /** Skips the last request, which is returned once more later. */
  public void doubt() {
    doubts.add(new Doubt(startBytes, endBytes));
    done();
  }

  /** Goes back by this number of requests, all of which were skipped. */
  public void goBack(int requests) {
    for (int i = 0; i < requests; i++) {
      forwardBytes = doubts.removeLast().startBytes;
      ahead--;
    }
    ahead = doubts.isEmpty() ? 0 : ahead;
    again();
  }

  /** The last request will never be accepted: its line is kept, and never returned again. */
  public void refuse() throws IOException {
    refuseLine();
    done();
  }

  /** A part of the last request will never be accepted: it is kept. */
  public void refuse(byte[] part) throws IOException {
    refused.keep(part);
  }

  /** Keeps the line of the last request, whatever happens to it. */
  public void refuseLine() throws IOException {
    refused.keep(startBytes, endBytes);
  }

  /** The last request was not accepted: {@link #next} returns it again. */
  public void again() {
    lines = null;
  }

  /** How many lines no endpoint accepted, since this file was claimed. */
  public long refusedLines() {
    return refused.count();
  }

  /** How many spans were accepted since this file was claimed. */
  public long sentSpans() {
    return sentSpans;
  }

  /** Whether any part of this process has written its contents. */
  public boolean isOfThisProcess() {
    return isOfThisProcess;
  }

  /** The file for lines that no endpoint accepts: one for each file, so that it has one writer. */
  public Path refusedFile() {
    return refused.file();
  }

  /** Deletes the file, whose lines were all accepted or kept elsewhere, and ends this. */
  public void remove() throws IOException {
    Files.deleteIfExists(file);
    Files.deleteIfExists(WaitingNote.of(file));
    close();
  }

  /**
   * If the disk is full, the old number stays, and after a kill more lines are sent again: waiting
   * would not free space.
   */
  private void note(long bytes) {
    try {
      WaitingNote.setSentBytes(file, bytes);
    } catch (IOException unwritten) {
      // See above.
    }
  }

  private boolean isLineStart(long bytes) {
    try (InputStream in = from(bytes - 1)) {
      return in.read() == '\n';
    } catch (IOException shorter) {
      return false;
    }
  }

  private InputStream from(long bytes) throws IOException {
    boolean isGzip = file.toString().endsWith(".gz");
    InputStream stream = new ChannelStream(channel, isGzip ? 0 : bytes);
    if (isGzip) {
      stream = new GzipStream(stream, 64 << 10);
      stream.skipNBytes(bytes);
    }
    return stream;
  }

  /** Ends this; another process may continue with the rest. */
  @Override
  public void close() throws IOException {
    try {
      refused.close();
    } finally {
      try {
        channel.close(); // the lock ends with it
      } finally {
        CLAIMED.remove(file);
      }
    }
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
