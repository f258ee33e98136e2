package io.rollotel.traces.cli;

import io.rollotel.traces.file.ReadProgress;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Shows the progress of long work. On a terminal, it is one line, which each update overwrites and
 * the end removes. Elsewhere, it is a line every ten seconds, and one at the end.
 */
final class Progress implements ReadProgress {

  /** What is counted. */
  enum Unit {
    READ("read", 1_000_000, "MB"),
    WRITTEN("written", 1, "spans"),
    SENT("sent", 1, "spans"),
    ANALYSED("analysed", 1, "parts");

    private final String done;
    private final long size;
    private final String name;

    Unit(String done, long size, String name) {
      this.done = done;
      this.size = size;
      this.name = name;
    }
  }

  private static final long SHORT_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long OVERWRITE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final Unit unit;
  private final PrintWriter to;
  private final boolean isTerminal;
  private final LongSupplier clock;

  private long startNanos;
  private long shownNanos;
  private long done;
  private long of;
  private int shownColumns;

  /**
   * Begins now.
   *
   * @param to the stream; receives terminal control sequences if it is a terminal
   */
  Progress(Unit unit, PrintWriter to, boolean isTerminal) {
    this(unit, to, isTerminal, System::nanoTime);
  }

  Progress(Unit unit, PrintWriter to, boolean isTerminal, LongSupplier clock) {
    this.unit = unit;
    this.to = to;
    this.isTerminal = isTerminal;
    this.clock = clock;
    begin();
  }

  private void begin() {
    startNanos = clock.getAsLong();
    shownNanos = startNanos;
  }

  @Override
  public void read(long bytes, long ofBytes) {
    reached(bytes, ofBytes);
  }

  /**
   * Reports progress.
   *
   * @param of the total; less than the work already done if the total is unknown
   */
  void reached(long now, long of) {
    if (now < done) {
      end(); // another directory
      begin();
    }
    this.done = now;
    this.of = of;
    long nanos = clock.getAsLong();
    boolean isFirst = shownNanos == startNanos;
    long pause = !isTerminal ? LINE_NANOS : isFirst ? FIRST_NANOS : OVERWRITE_NANOS;
    if (nanos - shownNanos >= pause) {
      shownNanos = nanos;
      show(nanos - startNanos);
    }
  }

  private void show(long nanos) {
    boolean isKnown = of >= done && of != 0;
    double rate = done * 1e9 / nanos;
    String line =
        (isKnown ? String.format(Locale.ROOT, "%3d%%  ", 100 * done / of) : "")
            + unit.done
            + " "
            + amount(done)
            + (isKnown ? " of " + amount(of) : "")
            + " "
            + unit.name
            + ", "
            + rate(rate)
            + (isKnown && rate > 0 ? ", " + time((of - done) / rate) + " left" : "");
    if (isTerminal) {
      to.print("\r" + line + " ".repeat(Math.max(0, shownColumns - line.length())));
      shownColumns = Math.max(shownColumns, line.length());
    } else {
      to.println(line.strip());
    }
    to.flush();
  }

  /** Removes the line, so that another one can be printed. */
  void hide() {
    if (shownColumns > 0) {
      to.print("\r" + " ".repeat(shownColumns) + "\r");
      to.flush();
      shownColumns = 0;
    }
  }

  /** All is done. */
  @Override
  public void end() {
    hide();
    long nanos = clock.getAsLong() - startNanos;
    if (!isTerminal && nanos >= SHORT_NANOS && done >= unit.size) {
      to.println(
          unit.done
              + " "
              + amount(done)
              + " "
              + unit.name
              + " in "
              + time(nanos / 1e9)
              + ", "
              + rate(done * 1e9 / nanos));
      to.flush();
    }
    done = 0;
  }

  private String amount(long number) {
    return String.format(Locale.ROOT, "%,d", number / unit.size);
  }

  private String rate(double perSecond) {
    double rate = perSecond / unit.size;
    return String.format(Locale.ROOT, rate < 9.95 ? "%.1f" : "%,.0f", rate)
        + " "
        + unit.name
        + "/s";
  }

  private static String time(double seconds) {
    long whole = Math.max(1, Math.round(seconds));
    return whole < 60
        ? whole + " s"
        : whole < 3600
            ? String.format(Locale.ROOT, "%dm %02ds", whole / 60, whole % 60)
            : String.format(Locale.ROOT, "%dh %02dm", whole / 3600, whole / 60 % 60);
  }
}
