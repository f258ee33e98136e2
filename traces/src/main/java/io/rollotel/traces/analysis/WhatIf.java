package io.rollotel.traces.analysis;

import java.io.Serializable;
import java.util.BitSet;

/**
 * A question that a replay of the steps answers: how much earlier would they have ended?
 *
 * @param processes the processes assumed to be as fast as their peers, or whose calls are sent
 *     earlier
 * @param name the name of the calls or the phase; -1 for none
 * @param workers how many workers the processes are whose calls are sent earlier; otherwise 0
 */
record WhatIf(Kind kind, BitSet processes, int name, int workers) implements Serializable {

  enum Kind {
    /** Some slow processes as fast as their peers. */
    AS_FAST_AS_PEERS,
    /** All slow ones as fast as their peers, and the work of fan-outs distributed evenly. */
    EVENLY,
    /** The long calls that end fan-outs of the name take as long as typical ones. */
    WITHOUT_TAIL,
    /** Late calls of the name to these processes are sent with the first of them. */
    SENT_AT_ONCE,
    /** The same for calls that were sent only after earlier ones had ended. */
    RUN_AT_ONCE,
    /** Failed calls of steps that did not fail take no time. */
    WITHOUT_FAILURES,
    /** No call of the name waits in a queue. */
    WITHOUT_QUEUE,
    /** The phase twice as fast. */
    HALF_THE_PHASE
  }

  static WhatIf asFastAsPeers(BitSet processes) {
    return new WhatIf(Kind.AS_FAST_AS_PEERS, processes, -1, 0);
  }

  static WhatIf evenly() {
    return new WhatIf(Kind.EVENLY, new BitSet(), -1, 0);
  }

  static WhatIf withoutTail(int name) {
    return new WhatIf(Kind.WITHOUT_TAIL, new BitSet(), name, 0);
  }

  static WhatIf sentAtOnce(FanOutSends.Totals sends) {
    return new WhatIf(Kind.SENT_AT_ONCE, sends.processSet(), sends.name(), sends.workers());
  }

  static WhatIf runAtOnce(FanOutSends.Totals sends) {
    return new WhatIf(Kind.RUN_AT_ONCE, sends.processSet(), sends.name(), sends.workers());
  }

  static WhatIf withoutFailures() {
    return new WhatIf(Kind.WITHOUT_FAILURES, new BitSet(), -1, 0);
  }

  static WhatIf withoutQueue(int name) {
    return new WhatIf(Kind.WITHOUT_QUEUE, new BitSet(), name, 0);
  }

  static WhatIf halfThePhase(int name) {
    return new WhatIf(Kind.HALF_THE_PHASE, new BitSet(), name, 0);
  }
}
