package io.rollotel.agent.api;

import io.rollotel.traces.collector.Rendezvous;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The runs that calls belong to: the run that this process's calls carry, and the runs of the calls
 * it receives. Any thread; takes no lock once the process takes part in a run.
 */
final class CallRuns {

  /** Stands for an id that cannot be sent. */
  private static final String NONE = "";

  /** After this many calls of this run, or without a run, the next ones are assumed to be alike. */
  private static final int MOST_LOOKS = 1_000;

  private final AtomicReference<@Nullable String> early = new AtomicReference<>();
  private volatile @Nullable Rendezvous rendezvous;
  private volatile @Nullable String sent;

  /** Not exact: a few extra checks do no harm. */
  private int looks;

  /** The process has joined its run, and learns what happened before. */
  void takePart(Rendezvous now) {
    rendezvous = now;
    String before = early.get();
    if (before != null) {
      now.received(before);
    }
  }

  /** See {@code TraceHook.Target.runId}. */
  @Nullable String toSend() {
    String known = sent;
    if (known == null) {
      Rendezvous meeting = rendezvous;
      String id = meeting == null ? null : meeting.runIdForCalls();
      if (id == null) {
        return null;
      }
      known = Rendezvous.isRunIdOfCalls(id) ? id : NONE;
      sent = known;
    }
    return known.equals(NONE) ? null : known;
  }

  /** See {@code TraceHook.Target.receivedFrom}. */
  boolean received(@Nullable String runId) {
    boolean wantsMore = ++looks < MOST_LOOKS;
    if (runId == null || !Rendezvous.isRunIdOfCalls(runId)) {
      return wantsMore;
    }
    early.compareAndSet(null, runId);
    Rendezvous meeting = rendezvous;
    return (meeting == null || meeting.received(runId)) && wantsMore;
  }
}
