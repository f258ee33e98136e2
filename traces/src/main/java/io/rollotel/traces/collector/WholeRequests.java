package io.rollotel.traces.collector;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Where the bytes of a request come together, decompressed, to be translated: two at a time, of
 * which one may be large. Who comes while they are used waits. Safe for use by several threads.
 */
final class WholeRequests {

  private static final int PLACES = 2;
  private static final int LARGE = PLACES; // where its array is kept
  private static final byte[] NONE = {};
  private static final int FIRST_BYTES = 64 << 10;
  private static final int INFLATE_BYTES = 8 << 10;

  /** A request beyond this is large. */
  private static final int SMALL_BYTES = 2 << 20;

  private final int maxBytes;
  private final Semaphore places = new Semaphore(PLACES);
  private final Semaphore large = new Semaphore(1);
  // The arrays of the places, then the large one; null while it is used or was not needed yet.
  private final AtomicReferenceArray<byte @Nullable []> kept =
      new AtomicReferenceArray<>(PLACES + 1);

  /**
   * @param maxBytes of one request
   */
  WholeRequests(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * Reads a request to its end.
   *
   * @throws Refusal if it is too large
   * @throws IOException if it is no gzip, or from the stream
   */
  Whole read(InputStream in, boolean isGzip) throws Refusal, IOException {
    places.acquireUninterruptibly();
    Whole whole = new Whole();
    try {
      if (isGzip) {
        try (InputStream inflated = new GZIPInputStream(in, INFLATE_BYTES)) {
          whole.read(inflated);
        }
      } else {
        whole.read(in);
      }
      return whole;
    } catch (Refusal | IOException | RuntimeException | Error e) {
      whole.close();
      throw e;
    }
  }

  Refusal tooLarge() {
    return new Refusal(
        Refusal.Reason.TOO_LARGE, "more than " + maxBytes + " bytes: send smaller batches");
  }

  /** A request, until it is closed. */
  final class Whole implements AutoCloseable {

    private byte[] bytes = takeSmall();
    private int length;
    private boolean isLarge;

    private Whole() {}

    /** The request is at the beginning. */
    byte[] bytes() {
      return bytes;
    }

    int length() {
      return length;
    }

    private void read(InputStream in) throws Refusal, IOException {
      // Where it is not compressed this is its length. One more shows that it is the end.
      ensure(Math.min(in.available(), maxBytes) + 1);
      for (int count = 0; count >= 0; count = in.read(bytes, length, bytes.length - length)) {
        length += count;
        if (length > maxBytes) {
          throw tooLarge();
        }
        if (length == bytes.length) {
          ensure(length + 1);
        }
      }
    }

    private void ensure(int wanted) {
      byte[] arrived = bytes;
      if (wanted <= arrived.length) {
        return;
      }
      boolean wasLarge = isLarge;
      if (wanted > SMALL_BYTES && !wasLarge) {
        large.acquireUninterruptibly();
        isLarge = true;
        bytes = take(LARGE);
      }
      if (wanted > bytes.length) {
        long doubled = (long) Integer.highestOneBit(Math.max(wanted - 1, FIRST_BYTES - 1)) << 1;
        bytes = new byte[(int) Math.min(doubled, Math.max(maxBytes + 1L, FIRST_BYTES))];
      }
      System.arraycopy(arrived, 0, bytes, 0, length);
      if (isLarge && !wasLarge) {
        giveBackSmall(arrived);
      }
    }

    @Override
    public void close() {
      if (isLarge) {
        kept.set(LARGE, bytes);
        large.release();
      } else {
        giveBackSmall(bytes);
      }
      bytes = NONE;
      places.release();
    }
  }

  private byte[] takeSmall() {
    byte[] first = take(0);
    return first.length != 0 ? first : take(1);
  }

  private byte[] take(int place) {
    byte[] used = kept.getAndSet(place, null);
    return used == null ? NONE : used;
  }

  private void giveBackSmall(byte[] bytes) {
    if (!kept.compareAndSet(0, null, bytes)) {
      kept.compareAndSet(1, null, bytes);
    }
  }
}
