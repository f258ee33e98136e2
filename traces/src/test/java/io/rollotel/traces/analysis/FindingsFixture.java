package io.rollotel.traces.analysis;

import io.rollotel.traces.analysis.Finding.Kind;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Plants steps of several workers, and faults in them. */
abstract class FindingsFixture {

  final Planted planted = new Planted();

  enum Way {
    PAYLOAD,
    PRODUCER,
    CLIENT
  }

  /** A call sent 5 before it begins, whose answer takes 5. */
  void call(Way way, long trace, long parent, String name, String to, long from, long end) {
    switch (way) {
      case PAYLOAD -> planted.span(trace, parent, name, to, from, end, "roll.queue_ns", 5L);
      case PRODUCER -> {
        long sender =
            planted.span(
                trace, parent, "send", "driver", from - 9, from - 5, "kind", Span.PRODUCER);
        planted.span(trace, sender, name, to, from, end, "kind", Span.CONSUMER);
      }
      case CLIENT -> {
        long sender =
            planted.span(trace, parent, "POST", "driver", from - 5, end + 5, "kind", Span.CLIENT);
        long server = planted.span(trace, sender, "POST /", to, from, end, "kind", Span.SERVER);
        planted.span(trace, server, name, to, from, end);
      }
    }
  }

  /**
   * A step: {@code generate} on some workers, each as long as told, begun at 20 and 2 later each;
   * 30 after the last of them {@code train} on the first worker for 100, and 20 until the end.
   */
  long step(Way way, int trace, long at, int workers, IntUnaryOperator generates) {
    long last = 0;
    for (int worker = 0; worker < workers; worker++) {
      last = Math.max(last, at + 20 + 2L * worker + generates.applyAsInt(worker));
    }
    long end = last + 30 + 100 + 20;
    long root = planted.span(trace, 0, "pipeline_step", "driver", at, end);
    long rollout = planted.span(trace, root, "rollout", "driver", at + 5, last + 10);
    for (int worker = 0; worker < workers; worker++) {
      long from = at + 20 + 2L * worker;
      call(
          way, trace, rollout, "generate", host(worker), from, from + generates.applyAsInt(worker));
    }
    long update = planted.span(trace, root, "update", "driver", last + 10, end - 5);
    call(way, trace, update, "train", host(0), last + 30, last + 130);
    return end;
  }

  static String host(int worker) {
    return "w" + worker + "@host" + worker / 2;
  }

  RunAnalysis run(Way way, int steps, int workers, StepOfWorker generates) {
    long at = 0;
    for (int step = 0; step < steps; step++) {
      int number = step;
      at = step(way, step + 1, at, workers, worker -> generates.nanos(number, worker));
    }
    return planted.analysis();
  }

  interface StepOfWorker {
    int nanos(int step, int worker);
  }

  /** A step of one length after the other, a trace each. */
  void steps(int count, long everyNanos, long nanos, Step step) {
    for (int i = 0; i < count; i++) {
      long at = i * everyNanos;
      step.plant(i + 1, at, planted.span(i + 1, 0, "pipeline_step", "driver", at, at + nanos));
    }
  }

  interface Step {
    /** Plants what is in a step. */
    void plant(long trace, long at, long root);
  }

  static List<Finding> of(RunAnalysis run, Kind kind) {
    return run.findings().stream().filter(finding -> finding.kind() == kind).toList();
  }

  static List<String> instances(RunAnalysis run, Finding finding) {
    return finding.processes().stream()
        .map(process -> run.spans().processes().get(process).instanceId())
        .toList();
  }
}
