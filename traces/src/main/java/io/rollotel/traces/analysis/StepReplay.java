package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.util.Arrays;

/**
 * Replays a step with some of its spans changed.
 *
 * <p>A span continues when it has done its own work and the spans that it waits for have ended. It
 * begins when its sender has reached that point and its wait in the queue is over. The wait keeps
 * its length, unless the process had just ended another call: then the call begins when that one
 * ends. As on the critical path, a span that extends slightly beyond a moment ({@link Tolerance})
 * counts as ended by then.
 */
final class StepReplay {

  /** The changes of a replay. */
  interface Change {
    /** How long a span takes, given how long it took. */
    long nanos(int span, long tookNanos);

    /** Whether a call waits in the queue. */
    default boolean isQueued(int span) {
      return true;
    }

    /** The call with which another is sent; a negative number if it is sent as it was. */
    default int sentWith(int span) {
      return NONE;
    }

    /** Whether a call may reach its process earlier, which may be busy with another then. */
    default boolean isReceivedEarlier(int span) {
      return false;
    }

    /** Whether a sender spends no time on sending a call. */
    default boolean isSentAtOnce(int span) {
      return false;
    }
  }

  private static final int NONE = StepGraph.NONE;

  private static final long NOT_SENT = Long.MIN_VALUE;

  private static final byte STARTED = 1;
  private static final byte ENDED = 2;

  private final Spans spans;
  private final StepGraph graph;

  // How far a node has progressed, in recorded time and in that of the replay.
  private long[] recorded = new long[64];
  private long[] replayed = new long[64];

  /** When a node began, in the replay. */
  private long[] starts = new long[64];

  /** When it was sent, in the replay. */
  private long[] sent = new long[64];

  private byte[] state = new byte[64];

  /** The last call that a process has executed. */
  private final int[] lastOfProcess;

  StepReplay(Spans spans, StepGraph graph) {
    this.spans = spans;
    this.graph = graph;
    this.lastOfProcess = new int[spans.processes().size()];
  }

  /** How long the loaded step would have taken with the change. */
  long nanos(int step, Change change) {
    ensureRoom(graph.nodeCount());
    Arrays.fill(state, 0, graph.nodeCount(), (byte) 0);
    Arrays.fill(sent, 0, graph.nodeCount(), NOT_SENT);
    Arrays.fill(lastOfProcess, NONE);
    for (int i = 0; i < graph.eventCount(); i++) {
      int node = graph.nodeOf(i);
      switch (graph.kind(i)) {
        case StepGraph.ALMOST_ENDED -> {
          long moment = graph.almostEnded(node);
          goOn(graph.waiter(node), moment, end(node, moment, change));
        }
        case StepGraph.SENT -> send(node, change);
        case StepGraph.START -> start(node, change);
        default -> {
          long moment = graph.end(node);
          replayed[node] = end(node, moment, change);
          recorded[node] = moment;
          state[node] = ENDED;
          if (isRemote(node)) {
            lastOfProcess[spans.process(graph.span(node))] = node;
          }
          goOn(graph.waiter(node), moment, replayed[node]);
        }
      }
    }
    return replayed[graph.node(step)] - spans.start(step);
  }

  private void ensureRoom(int length) {
    if (length > state.length) {
      int room = Math.max(length, 2 * state.length);
      recorded = new long[room];
      replayed = new long[room];
      starts = new long[room];
      sent = new long[room];
      state = new byte[room];
    }
  }

  private boolean isRemote(int node) {
    return graph.sender(node) != NONE
        && spans.process(graph.span(graph.sender(node))) != spans.process(graph.span(node));
  }

  /** The time in the replay at which a node reaches a recorded moment. */
  private long at(int node, long moment) {
    return state[node] == 0 ? moment : replayed[node] + moment - recorded[node];
  }

  private void send(int node, Change change) {
    int sender = graph.sender(node);
    long then = at(sender, graph.sent(node));
    int with = change.sentWith(graph.span(node));
    int first = with == NONE ? NONE : graph.node(with);
    sent[node] = first == NONE || sent[first] == NOT_SENT ? then : sent[first];
    replayed[node] = sent[node];
    if (state[sender] == STARTED) {
      recorded[sender] = graph.sent(node);
      replayed[sender] = change.isSentAtOnce(graph.span(node)) ? replayed[sender] : then;
    }
  }

  private void start(int node, Change change) {
    long start = graph.start(node);
    if (graph.sender(node) == NONE) {
      replayed[node] = start;
    } else if (graph.sent(node) == start) {
      send(node, change);
    } else if (change.isQueued(graph.span(node))) {
      int before = isRemote(node) ? lastOfProcess[spans.process(graph.span(node))] : NONE;
      replayed[node] =
          before != NONE && graph.end(before) >= graph.sent(node)
              ? Math.max(replayed[node], replayed[before] + start - graph.end(before))
              : replayed[node] + start - graph.sent(node);
    }
    if (change.isReceivedEarlier(graph.span(node)) && isRemote(node)) {
      int before = lastOfProcess[spans.process(graph.span(node))];
      replayed[node] = Math.max(replayed[node], before == NONE ? 0 : replayed[before]);
    }
    recorded[node] = start;
    state[node] = STARTED;
    starts[node] = replayed[node];
  }

  private long end(int node, long moment, Change change) {
    long start = graph.start(node);
    long took = graph.end(node) - start;
    long takes = change.nanos(graph.span(node), took);
    if (takes == took) {
      return at(node, moment);
    }
    long saved =
        moment == graph.end(node) ? took - takes : part(took - takes, moment - start, took);
    // Descendants are replayed separately.
    return graph.isOpened(graph.span(node))
        ? Math.max(starts[node], at(node, moment) - saved)
        : starts[node] + moment - start - saved;
  }

  private static long part(long nanos, long of, long all) {
    return Math.round((double) nanos * of / all);
  }

  /** A node waited for a node that has ended. */
  private void goOn(int waiter, long moment, long ended) {
    if (waiter != NONE && state[waiter] == STARTED) {
      replayed[waiter] = Math.max(replayed[waiter], ended);
      recorded[waiter] = moment;
    }
  }
}
