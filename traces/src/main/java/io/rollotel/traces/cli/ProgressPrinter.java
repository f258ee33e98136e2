package io.rollotel.traces.cli;

import io.rollotel.traces.file.ReadProgress;
import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;

/** Prints every two seconds how far a read has come; nothing for a read that is over by then. */
final class ProgressPrinter implements ReadProgress {

  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long MEGABYTE = 1_000_000;

  private final PrintWriter err;
  private long shownNanos = System.nanoTime();

  ProgressPrinter(PrintWriter err) {
    this.err = err;
  }

  @Override
  public void read(long bytes, long ofBytes) {
    long now = System.nanoTime();
    if (now - shownNanos >= INTERVAL_NANOS) {
      shownNanos = now;
      String of = ofBytes < bytes ? "" : " of " + ofBytes / MEGABYTE;
      err.println("read " + bytes / MEGABYTE + of + " MB");
      err.flush();
    }
  }
}
