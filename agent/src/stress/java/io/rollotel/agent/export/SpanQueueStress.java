package io.rollotel.agent.export;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.testing.trace.TestSpanData;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.recorder.Recorder;
import java.io.File;
import java.lang.reflect.Proxy;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** The rules of {@link SpanQueue}: each span that it takes is given out once. */
final class SpanQueueStress {

  private static final SpanData DATA =
      TestSpanData.builder()
          .setName("worker.step")
          .setKind(SpanKind.INTERNAL)
          .setSpanContext(SpanContext.getInvalid())
          .setStartEpochNanos(1)
          .setEndEpochNanos(2)
          .setStatus(StatusData.unset())
          .setHasEnded(true)
          .build();

  private static final ReadableSpan SPAN =
      (ReadableSpan)
          Proxy.newProxyInstance(
              ReadableSpan.class.getClassLoader(),
              new Class<?>[] {ReadableSpan.class},
              (proxy, method, arguments) -> DATA); // the queue asks for nothing else

  private SpanQueueStress() {}

  private static SpanQueue queue(int capacity) {
    LostSpans lost = new LostSpans(new Ledger(), new Recorder(0, new File("none")));
    SpanQueue queue = new SpanQueue(lost, new Backpressure());
    queue.configure(capacity, 4);
    return queue;
  }

  private static int waits(SpanQueue.Added added) {
    return added == SpanQueue.Added.NO_ROOM ? 0 : 1;
  }

  private static int polled(SpanQueue queue) {
    return queue.poll().size();
  }

  /** Two threads end a span, and there is room for one. */
  @JCStressTest
  @Description("Room for one span: each thread is told whether its span waits.")
  @Outcome(id = {"1, 0, 1", "0, 1, 1"}, expect = Expect.ACCEPTABLE, desc = "one was taken")
  @Outcome(
      id = "1, 1, 2",
      expect = Expect.ACCEPTABLE,
      desc = "both looked for room at once: the bound gives way by as many as add at once")
  @Outcome(expect = Expect.FORBIDDEN, desc = "a span was lost, or made up")
  @State
  public static class Adding {

    private final SpanQueue queue = queue(1);

    @Actor
    public void first(III_Result result) {
      result.r1 = waits(queue.add(SPAN));
    }

    @Actor
    public void second(III_Result result) {
      result.r2 = waits(queue.add(SPAN));
    }

    @Arbiter
    public void rest(III_Result result) {
      result.r3 = polled(queue);
    }
  }

  /** The export thread takes what there is while spans end. */
  @JCStressTest
  @Description("Taking while a thread adds two: what was not taken is there afterwards.")
  @Outcome(
      id = {"0, 2", "1, 1", "2, 0"},
      expect = Expect.ACCEPTABLE,
      desc = "all are there once")
  @Outcome(expect = Expect.FORBIDDEN, desc = "a span was lost, or given twice")
  @State
  public static class Taking {

    private final SpanQueue queue = queue(8);

    @Actor
    public void thread() {
      queue.add(SPAN);
      queue.add(SPAN);
    }

    @Actor
    public void export(II_Result result) {
      result.r1 = polled(queue);
    }

    @Arbiter
    public void rest(II_Result result) {
      result.r2 = polled(queue);
      if (queue.size() != 0) {
        result.r2 = -1;
      }
    }
  }

  /** The end of the JVM takes what there is beside the export thread. */
  @JCStressTest
  @Description("Two threads take at once: no span goes out twice.")
  @Outcome(
      id = {"0, 3", "3, 0"},
      expect = Expect.ACCEPTABLE,
      desc = "one of them got all")
  @Outcome(expect = Expect.FORBIDDEN, desc = "a span was lost, or given twice")
  @State
  public static class Ending {

    private final SpanQueue queue = queue(8);

    public Ending() {
      queue.add(SPAN);
      queue.add(SPAN);
      queue.add(SPAN);
    }

    @Actor
    public void export(II_Result result) {
      result.r1 = polled(queue);
    }

    @Actor
    public void exit(II_Result result) {
      result.r2 = polled(queue);
    }
  }
}
