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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends what waits in own files, once the endpoint takes spans again: one line after the other, by
 * a connection of its own, only while live spans get through, and at its own {@link Pace}.
 *
 * <p>A refused line is skipped and sent once more later. {@link Blame} decides whether it is then
 * given up: in parts, as small as possible.
 *
 * <p>All but {@link #start} and {@link #stop} belongs to its thread.
 */
final class Replay implements LongSupplier {

  /** The time between two checks whether spans of this process wait. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Every so many checks, the directory is listed for files of dead processes. */
  private static final int LOOKS_AROUND = 6;

  /** The pause while live spans are not accepted, or too many of them wait. */
  private static final long HELD_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** The pause before refused spans are sent once more. */
  private static final long ONCE_MORE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** After this many failed attempts, some three minutes, the next file is tried. */
  private static final int MOST_REFUSALS = 10;

  /** A file that fails this often on its own is left alone for some time. */
  private static final int MOST_FILE_FAILURES = 3;

  private final WaitingFiles files;
  private final WaitingFiles.OwnFile ownFile;
  private final Callable<OtlpEndpoint> connect;
  private final BooleanSupplier mayGo;
  private final Ledger ledger;
  private final Blame blame;

  private @Nullable OtlpEndpoint endpoint;
  private @Nullable WaitingFile current;
  private boolean hasBegun;
  private boolean isHeld;
  private int looks;
  private int fileFailures;

  /** Failed attempts since spans were last accepted. */
  private int refusals;

  /** Whether skipped lines have waited long enough to be sent once more. */
  private boolean hasRested;

  /** The parts of the line that is being sent in parts. */
  private @Nullable Narrowing narrowing;

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
    blame = new Blame(ledger);
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
      return Pace.spreadNanos(); // otherwise all processes of a host would check at once
    }
    if (!mayGo.getAsBoolean()) {
      isHeld = true;
      return HELD_NANOS;
    }
    if (isHeld) {
      isHeld = false;
      return Pace.spreadNanos(); // otherwise all would overload an endpoint that has just come back
    }
    try {
      WaitingFile file = current;
      if (file == null) {
        file = files.next(ownFile, looks % LOOKS_AROUND == 0);
        if (file == null) {
          looks++;
          release();
          return Pace.scattered(LOOK_NANOS);
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
    blame.forget();
    hasRested = false;
    narrowing = null;
    refusals = 0;
    fileFailures = 0;
    AgentLog.info("ROLL_OTEL_REPLAY: sends what waits in " + file);
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
    return Pace.backoffNanos(fileFailures);
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
      return Pace.scattered(ONCE_MORE_NANOS);
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
    return Pace.restNanos(spans, System.nanoTime() - beganNanos);
  }

  private boolean hasRested(WaitingFile file) {
    boolean isFirst = file.isGivenOnceMore() && !hasRested;
    hasRested = file.isGivenOnceMore();
    if (hasRested) {
      blame.endRow();
    }
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
              + file.refusedFile().getParent(),
          partial.asFirst());
    }
    blame.taken();
    ledger.replayed(spans - (int) rejected);
    Narrowing search = narrowing;
    if (search == null) {
      file.taken();
      blame.forget();
    } else {
      search.taken();
    }
    count(file, spans);
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
    return Pace.backoffNanos(refusals);
  }

  private long refused(WaitingFile file, byte[] request, int spans, NotTakenException failure)
      throws IOException {
    AgentLog.debug("ROLL_OTEL_REPLAY: " + failure);
    Narrowing search = narrowing;
    if (search != null) {
      search.refused();
    } else if (blame.isSuspected() || file.isGivenOnceMore()) {
      search = new Narrowing(request, spans);
      narrowing = search;
    } else {
      file.doubt();
      int row = blame.skipped();
      if (!blame.isSuspected()) {
        return HELD_NANOS;
      }
      file.goBack(row);
      refusals++;
      return Pace.backoffNanos(refusals);
    }
    if (search.isHopeless() && !blame.isOfSpans()) {
      return inVain(file);
    }
    if (search.next() == null) {
      tellRefused(file, failure);
    }
    return HELD_NANOS;
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
    return Pace.backoffNanos(refusals);
  }

  private void tellRefused(WaitingFile file, NotTakenException failure) {
    AgentLog.warnOnce(
        endpoint + " refuses waiting spans; they are kept in " + file.refusedFile(),
        " (first: " + Undelivered.reason(failure) + ")");
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
    blame.ended(search.takenSpans());
  }

  private void end(WaitingFile file) throws IOException {
    file.remove();
    current = null;
    AgentLog.info(
        "ROLL_OTEL_REPLAY: "
            + Ledger.number(file.sentSpans())
            + (file.sentSpans() == 1 ? " span sent of " : " spans sent of ")
            + file);
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
}
