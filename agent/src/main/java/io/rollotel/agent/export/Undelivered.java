package io.rollotel.agent.export;

import io.rollotel.agent.log.AgentLog;
import io.rollotel.traces.otlp.PartialSuccess;
import io.rollotel.traces.recording.HostName;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Tells the user of spans that an exporter did not take, and where they are. Any thread. */
final class Undelivered {

  /** An endpoint that comes and goes must not fill the log. */
  private static final long APART_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final OwnSpanFile ownFile;
  private volatile String destination = "";
  private volatile String reason = "";

  /** Where the delivery with this reason failed: the run may have another collector by now. */
  private volatile String refusing = "";

  // Of the export thread.
  private boolean isTold;
  private boolean isToldOnce;
  private long toldNanos;

  Undelivered(OwnSpanFile ownFile) {
    this.ownFile = ownFile;
  }

  /** Sets the destination of spans from now on. */
  void destination(String newDestination) {
    destination = newDestination;
  }

  String destination() {
    return destination;
  }

  /** Why the last delivery failed; null if unknown. Returns it as text, which may be empty. */
  String failed(@Nullable Throwable failure) {
    failed(reason(failure));
    return reason;
  }

  static String reason(@Nullable Throwable failure) {
    Throwable cause = failure;
    while (cause != null && cause.getCause() != null) {
      cause = cause.getCause(); // the innermost one names the cause: a certificate, a dead port
    }
    return cause == null
        ? ""
        : cause instanceof NotTakenException refusal
            ? String.valueOf(refusal.getMessage())
            : cause.toString();
  }

  void failed(String why) {
    refusing = destination;
    reason = why;
  }

  /**
   * Reports an outage, once. For the export thread, after each failed delivery: within a minute of
   * the previous report it says nothing, and a later failure is reported instead.
   */
  void tellFirst(boolean isWarning) {
    long nowNanos = System.nanoTime();
    if (isTold || (isToldOnce && nowNanos - toldNanos < APART_NANOS)) {
      return;
    }
    String line =
        "cannot deliver spans to "
            + destination
            + (reason.isEmpty() ? "" : " (" + reason + ")")
            + "; until it answers they go to "
            + ownFile
            + " on "
            + HostName.get();
    if (isWarning) {
      isTold = true;
      isToldOnce = true;
      toldNanos = nowNanos;
      AgentLog.warn(line);
    } else {
      AgentLog.info(line);
    }
  }

  /**
   * Reports that spans are delivered again, if {@link #tellFirst} has warned that they are not.
   *
   * @param isReplayed whether those in the own file are sent now
   */
  void tellAgain(boolean isReplayed) {
    if (isTold) {
      isTold = false;
      AgentLog.warn(
          "spans are delivered to "
              + destination
              + " again"
              + (ownFile.hasKept() && isReplayed
                  ? "; those that it did not take are sent now (ROLL_OTEL_REPLAY)"
                  : ownFile.hasKept()
                      ? "; those that it did not take are in "
                          + String.join(" and ", ownFile.places())
                          + " on "
                          + HostName.get()
                      : ""));
    }
  }

  /** Reports spans that the endpoint rejects although it accepts their request. */
  void tellRejected(PartialSuccess partial) {
    AgentLog.warnOnce(
        destination + " accepts requests but rejects some of their spans, which are lost",
        partial.asFirst());
  }

  /** Reports that no collector was found. */
  void tellNobody() {
    AgentLog.warnOnce(
        "this process finds no collector: its spans go to " + ownFile + " on " + HostName.get());
  }

  /**
   * Reports at exit which spans went to the own file.
   *
   * @param isElsewhere whether the user has named an endpoint, which then lacks these spans
   * @param isOfAnother whether another process of the run should have taken them
   * @param isReplayed whether the next process sends them
   */
  void tellAtEnd(long spans, boolean isElsewhere, boolean isOfAnother, boolean isReplayed) {
    if (spans <= 0 || destination.equals(ownFile.toString())) {
      return;
    }
    List<String> places = ownFile.places();
    String named = reason.isEmpty() ? destination : refusing;
    String to = named.isEmpty() ? "any collector" : named;
    // A driver's own file is as good as its collector's file, and so is a worker's own file for the
    // rest.
    boolean isRefused = !reason.isEmpty() || destination.isEmpty();
    boolean isWarning = isElsewhere || (isOfAnother && isRefused);
    String why = destination.isEmpty() ? "nobody collects" : "it did not take them in time";
    tell(
        isWarning,
        spans
            + (spans == 1 ? " span was" : " spans were")
            + " not delivered to "
            + to
            + " ("
            + (reason.isEmpty() ? why : reason)
            + ") and set aside in "
            + String.join(" and ", places)
            + " on "
            + HostName.get()
            + (isReplayed
                ? ": the next process on this host sends them (ROLL_OTEL_REPLAY)"
                : isElsewhere
                    ? ": send them with java -jar roll-otel-agent.jar replay '"
                        + String.join("' '", places)
                        + "' --endpoint URL"
                    : ", where `report` reads " + (spans == 1 ? "it" : "them")));
  }

  private static void tell(boolean isWarning, String line) {
    if (isWarning) {
      AgentLog.warnOnce(line);
    } else {
      AgentLog.info(line);
    }
  }
}
