package io.rollotel.agent.export;

import io.rollotel.agent.background.BackgroundTask;
import io.rollotel.agent.export.NotTakenException.Kind;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.traces.file.WaitingFile;
import io.rollotel.traces.file.WaitingFiles;
import io.rollotel.traces.otlp.PartialSuccess;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends what waits in own files, once the endpoint takes spans again: one line after the other, by
 * a connection of its own, and only while live spans get through. It rests at least as long as the
 * last line took, so at most half of one thread is spent on it.
 *
 * <p>No status says whether the endpoint or the line is to blame for a refusal, and some endpoints
 * accept an empty request but no other. So a refused line is skipped and sent once more later. If
 * several lines in a row are refused, the endpoint is to blame, and nothing is given up. A line is
 * given up in parts, as small as possible, and only if the endpoint accepts other spans.
 *
 * <p>All but {@link #start} and {@link #stop} belongs to its thread.
 */
final class Replay implements LongSupplier {

  /**
   * The rate of one process; it catches up on an outage of ten minutes at 5,000 spans a second in
   * five minutes.
   */
  private static final long MOST_SPANS_PER_SECOND = 10_000;

  /**
   * The period over which a thousand processes that start at once begin to send, also after an
   * outage.
   */
  private static final long SPREAD_NANOS = TimeUnit.SECONDS.toNanos(4);

  /** The time between two checks whether spans of this process wait. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Every so many checks, the directory is listed for files of dead processes. */
  private static final int LOOKS_AROUND = 6;

  /** The pause while live spans are not accepted, or too many of them wait. */
  private static final long HELD_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** The pause before refused spans are sent once more. */
  private static final long ONCE_MORE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long LEAST_BACKOFF_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MOST_BACKOFF_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** If this many lines in a row are refused, the endpoint is to blame. */
  private static final int MOST_IN_A_ROW = 3;

  /** After this many failed attempts, some three minutes, the next file is tried. */
  private static final int MOST_REFUSALS = 10;

  /** A file that fails this often on its own is left alone for some time. */
  private static final int MOST_FILE_FAILURES = 3;

  private final WaitingFiles files;
  private final WaitingFiles.OwnFile ownFile;
  private final Callable<OtlpEndpoint> connect;
  private final BooleanSupplier mayGo;
  private final Ledger ledger;

  private @Nullable OtlpEndpoint endpoint;
  private @Nullable WaitingFile current;
  private boolean hasBegun;
  private boolean isHeld;
  private int looks;
  private int fileFailures;

  /** Failed attempts since spans were last accepted. */
  private int refusals;

  /** Lines that were skipped since spans were last accepted. */
  private int row;

  /** Whether several lines in a row were refused, and none was taken since. */
  private boolean isSuspected;

  /** Whether skipped lines have waited long enough to be sent once more. */
  private boolean hasRested;

  /** The parts of the line that is being sent in parts. */
  private @Nullable Narrowing narrowing;

  /** How often spans were accepted here. */
  private long taken;

  /** How many spans had been accepted, of files and live ones, when a line was first refused. */
  private long takenAtRefusal;

  /** Consecutive lines that were given up because none of their spans was accepted. */
  private int givenUp;

  /** How many spans had been accepted when the last of these lines was given up. */
  private long takenAtGivenUp;

  private final LongAdder ownSpans = new LongAdder();
  private volatile boolean isStopped;
  private volatile @Nullable BackgroundTask task;

  /**
   * A replay that begins when it is started.
   *
   * @param ownFile sets this process's own file aside
   * @param connect opens a connection to the endpoint
   * @param mayGo whether live spans are accepted and leave room
   */
  Replay(
      WaitingFiles files,
      WaitingFiles.OwnFile ownFile,
      Callable<OtlpEndpoint> connect,
      BooleanSupplier mayGo,
      Ledger ledger) {
    this.files = files;
    this.ownFile = ownFile;
    this.connect = connect;
    this.mayGo = mayGo;
    this.ledger = ledger;
  }

  void start() {
    task = BackgroundTask.start("roll-otel-replay", this);
  }

  /** Stops at once. Spans on their way may arrive, and the next process sends them again. */
  void stop() {
    isStopped = true;
    BackgroundTask running = task;
    if (running != null) {
      running.stop(this::release);
    }
  }

  /** How many spans of this process were accepted, or are kept as refused. Any thread. */
  long ownSpans() {
    return ownSpans.sum();
  }

  /** One round: at most one request. */
  @Override
  public long getAsLong() {
    if (isStopped) {
      return LOOK_NANOS;
    }
    if (!hasBegun) {
      hasBegun = true;
      return spread(); // otherwise all processes of a host would check at once
    }
    if (!mayGo.getAsBoolean()) {
      isHeld = true;
      return HELD_NANOS;
    }
    if (isHeld) {
      isHeld = false;
      return spread(); // otherwise all would overload an endpoint that has just come back
    }
    try {
      WaitingFile file = current;
      if (file == null) {
        file = files.next(ownFile, looks % LOOKS_AROUND == 0);
        if (file == null) {
          looks++;
          release();
          return scattered(LOOK_NANOS);
        }
        take(file);
      }
      return send(file);
    } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
      return failed(e);
    }
  }

  private void take(WaitingFile file) {
    current = file;
    forget();
    refusals = 0;
    fileFailures = 0;
    AgentLog.info("ROLL_OTEL_REPLAY: sends what waits in " + file);
  }

  private void forget() {
    row = 0;
    isSuspected = false;
    hasRested = false;
    narrowing = null;
  }

  /** The problem is local, in the file or in this class, and not at the endpoint. */
  private long failed(Throwable e) {
    fileFailures++;
    if (!(e instanceof IOException)) {
      ledger.replayFailed();
    }
    WaitingFile file = current;
    if (file != null) {
      file.again();
    }
    AgentLog.warnOnce(
        "ROLL_OTEL_REPLAY: "
            + (file == null ? "looking for waiting files" : "sending " + file)
            + " failed and will be retried: "
            + e);
    if (file != null && fileFailures >= MOST_FILE_FAILURES) {
      files.later(file);
      letGo();
    }
    return backoff(fileFailures);
  }

  /** Throws for local problems only. */
  private long send(WaitingFile file) throws IOException {
    long beganNanos = System.nanoTime();
    Narrowing search = narrowing;
    byte[] request = search == null ? file.next() : search.next();
    if (request == null) {
      if (search != null) {
        end(file, search);
      } else {
        end(file);
      }
      return 0;
    }
    if (search == null && !hasRested(file)) {
      file.again();
      return scattered(ONCE_MORE_NANOS);
    }
    int spans = search == null ? file.spans() : search.nextSpans();
    PartialSuccess partial;
    try {
      partial = endpoint().send(request, FallbackExporter.ANSWER_NANOS);
    } catch (NotTakenException e) {
      boolean isFinal = e.kind() == Kind.REFUSED || e.kind() == Kind.FOREIGN;
      return isFinal ? refused(file, request, spans, e) : notNow(file, e);
    } catch (IOException | RuntimeException e) {
      return notNow(file, e);
    }
    isTaken(file, spans, partial);
    long tookNanos = System.nanoTime() - beganNanos;
    return Math.max(tookNanos, spans * 1_000_000_000L / MOST_SPANS_PER_SECOND - tookNanos);
  }

  private boolean hasRested(WaitingFile file) {
    boolean isFirst = file.isGivenOnceMore() && !hasRested;
    hasRested = file.isGivenOnceMore();
    row = hasRested ? 0 : row;
    return !isFirst;
  }

  private OtlpEndpoint endpoint() throws IOException {
    OtlpEndpoint known = endpoint;
    if (known == null) {
      try {
        known = connect.call();
      } catch (IOException | RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IOException(e);
      }
      endpoint = known;
    }
    return known;
  }

  private void isTaken(WaitingFile file, int spans, PartialSuccess partial) throws IOException {
    long rejected = Math.min(spans, partial.rejected());
    if (rejected > 0) { // the answer does not say which
      file.refuseLine();
      ledger.refused((int) rejected);
      AgentLog.warnOnce(
          endpoint
              + " accepts requests but rejects some of their spans; the requests are kept in "
              + file.refusedFile().getParent()
              + (partial.message().isEmpty() ? "" : " (first: " + partial.message() + ")"));
    }
    taken++;
    ledger.replayed(spans - (int) rejected);
    Narrowing search = narrowing;
    if (search == null) {
      file.taken();
      row = 0;
      isSuspected = false;
    } else {
      search.taken();
    }
    count(file, spans);
    givenUp = 0;
    refusals = 0;
    fileFailures = 0;
  }

  private void count(WaitingFile file, int spans) {
    if (file.isOfThisProcess()) {
      ownSpans.add(spans);
    }
  }

  private long notNow(WaitingFile file, Exception failure) {
    AgentLog.debug("ROLL_OTEL_REPLAY: " + failure);
    if (narrowing == null) {
      file.again();
    }
    refusals++;
    return backoff(refusals);
  }

  private long refused(WaitingFile file, byte[] request, int spans, NotTakenException failure)
      throws IOException {
    AgentLog.debug("ROLL_OTEL_REPLAY: " + failure);
    Narrowing search = narrowing;
    if (search != null) {
      search.refused();
    } else if (isSuspected || file.isGivenOnceMore()) {
      search = new Narrowing(request, spans);
      narrowing = search;
    } else {
      if (row == 0) {
        takenAtRefusal = takenEver();
      }
      file.doubt();
      row++;
      if (row < MOST_IN_A_ROW) {
        return HELD_NANOS;
      }
      file.goBack(row);
      row = 0;
      isSuspected = true;
      refusals++;
      return backoff(refusals);
    }
    if (search.isHopeless() && !isTakingOthers()) {
      return inVain(file);
    }
    if (search.next() == null) {
      tellRefused(file, failure);
    }
    return HELD_NANOS;
  }

  /**
   * Whether the endpoint has accepted other spans since it refused these, so that these are to
   * blame.
   */
  private boolean isTakingOthers() {
    return takenEver() != (givenUp < MOST_IN_A_ROW - 1 ? takenAtRefusal : takenAtGivenUp);
  }

  private long takenEver() {
    return taken + ledger.exportedSpans();
  }

  /** No span of this line, of any other line or of live spans has been accepted. */
  private long inVain(WaitingFile file) {
    narrowing = null;
    file.again();
    refusals++;
    if (refusals > MOST_REFUSALS) {
      AgentLog.warnOnce(endpoint + " accepts nothing from " + file + "; it will be retried");
      files.later(file);
      letGo();
    }
    return backoff(refusals);
  }

  private void tellRefused(WaitingFile file, NotTakenException failure) {
    AgentLog.warnOnce(
        endpoint
            + " refuses waiting spans; they are kept in "
            + file.refusedFile()
            + " (first: "
            + Undelivered.reason(failure)
            + ")");
  }

  /** Of a line that was sent in parts. */
  private void end(WaitingFile file, Narrowing search) throws IOException {
    for (byte[] part : search.refusedParts()) {
      file.refuse(part);
    }
    ledger.refused(search.refusedSpans());
    count(file, search.refusedSpans());
    file.taken(search.takenSpans());
    narrowing = null;
    if (search.takenSpans() == 0) {
      givenUp++;
      takenAtGivenUp = takenEver();
    }
    if (isSuspected) {
      takenAtRefusal = takenEver(); // the next line is sent in parts without being passed over
    }
  }

  private void end(WaitingFile file) throws IOException {
    file.remove();
    current = null;
    AgentLog.info(
        "ROLL_OTEL_REPLAY: " + Ledger.number(file.sentSpans()) + " spans sent of " + file);
    if (file.refusedLines() > 0) {
      boolean isOne = file.refusedLines() == 1;
      AgentLog.warnOnce(
          Ledger.number(file.refusedLines())
              + (isOne ? " line of " : " lines of ")
              + file
              + (isOne
                  ? " was not sent, because it is not a request or was refused; it is in "
                  : " were not sent, because they are not requests or were refused; they are in ")
              + file.refusedFile());
    }
  }

  /**
   * Without waiting spans, no connection is kept, because it would hold the classes of its first
   * user.
   */
  void release() {
    letGo();
    OtlpEndpoint open = endpoint;
    endpoint = null;
    if (open != null) {
      open.close();
    }
  }

  private void letGo() {
    WaitingFile file = current;
    current = null;
    narrowing = null;
    if (file != null) {
      try {
        file.close();
      } catch (IOException e) {
        AgentLog.debug("a file that waits was not closed cleanly: " + e);
      }
    }
  }

  private static long backoff(int failures) {
    return scattered(
        Math.min(MOST_BACKOFF_NANOS, LEAST_BACKOFF_NANOS << Math.min(failures - 1, 5)));
  }

  private static long scattered(long nanos) {
    return (long) (nanos * ThreadLocalRandom.current().nextDouble(0.5, 1.5));
  }

  private static long spread() {
    return ThreadLocalRandom.current().nextLong(SPREAD_NANOS);
  }
}
