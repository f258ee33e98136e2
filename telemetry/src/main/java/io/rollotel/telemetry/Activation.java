package io.rollotel.telemetry;

import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.rollotel.telemetry.internal.ActivationKey;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A context that is current on the thread that made it so, until {@link #leave}. Several may be
 * left in any order.
 *
 * <p>The open ones of a thread form a list, from which each can be taken. So one that was left
 * keeps nothing of those that came after it, and of those before it only what was open with it.
 */
final class Activation implements BiConsumer<Object, Object> {

  private final Context context;
  private final Thread thread = Thread.currentThread();

  /** What becomes current when this is left: never something that was left before it. */
  private Context before;

  // The fields that follow are null once this is left. Only the thread itself uses them.

  /** Closed by its own thread; otherwise a strict context storage complains. */
  private @Nullable Scope scope;

  private @Nullable Activation below;
  private @Nullable Activation above;

  /** Those of this list that another thread has abandoned, and this thread has not yet left. */
  private @Nullable Queue<Activation> toLeave;

  /**
   * Makes a context current.
   *
   * @param before from {@link #settled}
   */
  @SuppressWarnings({"MustBeClosedChecker", "ThisEscapedInObjectConstruction"}) // leave closes it
  Activation(Context before, Context wanted) {
    this.before = before;
    below = openIn(before);
    toLeave = below == null ? null : below.toLeave;
    if (toLeave == null) {
      toLeave = new ConcurrentLinkedQueue<>();
    }
    context = wanted.with(ActivationKey.get(), this);
    scope = context.makeCurrent();
    if (below != null) {
      below.above = this;
    }
  }

  /** The current context of this thread, which then has none on top that was abandoned. */
  static Context settled() {
    Activation open = openIn(Context.current());
    Queue<Activation> abandoned = open == null ? null : open.toLeave;
    Activation next = abandoned == null ? null : abandoned.poll();
    while (abandoned != null && next != null) {
      next.take();
      next = abandoned.poll();
    }
    return settle(Context.current());
  }

  /** Makes current what lies below contexts that were left: others may have restored those. */
  @SuppressWarnings("MustBeClosedChecker") // no scope is left to close
  private static Context settle(Context wanted) {
    Context settled = withoutLeft(wanted);
    if (settled != Context.current()) {
      settled.makeCurrent();
    }
    return settled;
  }

  private static Context withoutLeft(Context context) {
    Context found = context;
    Activation activation = ofThisThread(found);
    while (activation != null && activation.scope == null && activation.context == found) {
      found = activation.before;
      activation = ofThisThread(found);
    }
    return found;
  }

  /** The last one that is open in a context of this thread. */
  private static @Nullable Activation openIn(Context context) {
    Activation activation = ofThisThread(context);
    while (activation != null && activation.scope == null) {
      activation = ofThisThread(activation.before);
    }
    return activation;
  }

  /** Work that took a context along to another thread leaves nothing of that thread's. */
  private static @Nullable Activation ofThisThread(Context context) {
    return context.get(ActivationKey.get()) instanceof Activation found
            && found.thread == Thread.currentThread()
        ? found
        : null;
  }

  /** Takes the context from its thread, which calls this. Further calls do nothing. */
  void leave() {
    take();
    settled();
  }

  private void take() {
    Scope closing = scope;
    if (closing == null) {
      return;
    }
    Context current = Context.current();
    scope = null;
    unlink();
    closing.close();
    settle(current);
  }

  private void unlink() {
    before = withoutLeft(before);
    Activation upper = above;
    Activation lower = below;
    if (upper != null) {
      upper.below = lower;
      if (upper.before == context) {
        upper.before = before;
      }
    }
    if (lower != null && lower.above == this) {
      lower.above = upper;
    }
    above = null;
    below = null;
    toLeave = null;
  }

  /** Makes its thread leave it with the next one, because another thread cannot. */
  void abandon() {
    Queue<Activation> waiting = toLeave;
    if (waiting != null) {
      waiting.add(this);
    }
  }

  /**
   * A call that made a context current has returned on this thread, and this was opened in it.
   *
   * @param inside the context of the call, to which nothing may return any more
   * @param outer the one before it
   */
  @Override
  public void accept(Object inside, Object outer) {
    if (thread != Thread.currentThread()) {
      return;
    }
    for (Activation opened = this; opened != null; opened = opened.below) {
      if (opened.before == inside) {
        opened.before = withoutLeft((Context) outer);
        break;
      }
    }
    settled();
  }
}
