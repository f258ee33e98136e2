package io.rollotel.agent.threads;

import io.rollotel.agent.api.Tracing;
import java.lang.reflect.Proxy;
import java.util.concurrent.FutureTask;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * The rules of {@link CallInContext} in a subclass of {@code FutureTask}: the context is taken once,
 * and the work is done once.
 */
final class CallInContextStress {

  private static final Tracing TRACING =
      (Tracing)
          Proxy.newProxyInstance(
              Tracing.class.getClassLoader(),
              new Class<?>[] {Tracing.class},
              (proxy, method, arguments) -> "scope");

  private CallInContextStress() {}

  /** Two threads run one task, as a pool and a caller that helps may do. */
  @JCStressTest
  @Description("Two threads begin one future task: one of them gets the context.")
  @Outcome(
      id = {"1, 0, 1", "0, 1, 1"},
      expect = Expect.ACCEPTABLE,
      desc = "taken once, done once")
  @Outcome(expect = Expect.FORBIDDEN, desc = "taken twice or never, or the work was not done")
  @State
  public static class Beginning {

    private int done;

    private final FutureTask<Integer> task = new FutureTask<>(() -> ++done) {};

    public Beginning() {
      CallInContext.put(task, TRACING, "context");
    }

    private int run() {
      int taken = CallInContext.take(task) == null ? 0 : 1;
      task.run();
      return taken;
    }

    @Actor
    public void first(III_Result result) {
      result.r1 = run();
    }

    @Actor
    public void second(III_Result result) {
      result.r2 = run();
    }

    @Arbiter
    public void result(III_Result result) {
      result.r3 = done;
    }
  }

  /** A task is cancelled while it begins. */
  @JCStressTest
  @Description("A future task is cancelled while its context is taken: it keeps no work.")
  @Outcome(
      id = {"0, 0, 1", "1, 0, 1"},
      expect = Expect.ACCEPTABLE,
      desc = "cancelled, and empty")
  @Outcome(expect = Expect.FORBIDDEN, desc = "the work came back into a task that is over")
  @State
  public static class Cancelling {

    private final FutureTask<Integer> task = new FutureTask<>(() -> 1) {};

    public Cancelling() {
      CallInContext.put(task, TRACING, "context");
    }

    @Actor
    public void thread(III_Result result) {
      result.r1 = CallInContext.take(task) == null ? 0 : 1;
    }

    @Actor
    public void caller() {
      task.cancel(false);
    }

    @Arbiter
    public void result(III_Result result) {
      result.r2 = task.toString().contains("task = ") ? 1 : 0;
      result.r3 = task.isCancelled() ? 1 : 0;
    }
  }
}
