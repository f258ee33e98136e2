package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.Finding.Kind;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import java.util.List;
import java.util.Random;

/** Plants steps whose driver sends calls in one of three ways. */
abstract class SendsFixture {

  final Planted planted = new Planted();

  final Random random = new Random(1);

  enum Way {
    PAYLOAD,
    PRODUCER,
    CLIENT
  }

  /** A call sent 5 before it begins; its CLIENT span ends with it. */
  long call(Way way, long trace, long parent, String name, String to, long from, long end) {
    return switch (way) {
      case PAYLOAD -> planted.span(trace, parent, name, to, from, end, "roll.queue_ns", 5L);
      case PRODUCER -> {
        long sender =
            planted.span(
                trace, parent, "send", "driver", from - 6, from - 5, "kind", Span.PRODUCER);
        yield planted.span(trace, sender, name, to, from, end, "kind", Span.CONSUMER);
      }
      case CLIENT -> {
        long sender =
            planted.span(trace, parent, "POST", "driver", from - 5, end, "kind", Span.CLIENT);
        yield planted.span(trace, sender, name, to, from, end, "kind", Span.SERVER);
      }
    };
  }

  /** Calls of a step, the n-th of them at some moment on some worker. */
  interface Calls {
    void plant(long trace, long rollout, long at);
  }

  /** Steps of 10,000 with a rollout of so long, and 100 for a phase after it. */
  void steps(int count, long rolloutNanos, Calls calls) {
    for (int step = 0; step < count; step++) {
      long at = 10_000L * step;
      long end = at + rolloutNanos + 200;
      long root = planted.span(step + 1, 0, "pipeline_step", "driver", at, end);
      long rollout =
          planted.span(step + 1, root, "rollout", "driver", at + 10, at + 10 + rolloutNanos);
      planted.span(step + 1, root, "update", "driver", end - 150, end - 50);
      calls.plant(step + 1, rollout, at + 20);
    }
  }

  List<Finding> findings(Kind kind) {
    return planted.analysis().findings().stream().filter(one -> one.kind() == kind).toList();
  }

  void assertNone() {
    assertThat(planted.analysis().findings())
        .noneMatch(one -> one.kind() == Kind.LATE_SENDS || one.kind() == Kind.SERIAL_CALLS);
  }

  FanOuts.Straggler straggler() {
    return planted.analysis().fanOuts().get(0).stragglers().get(0);
  }
}
