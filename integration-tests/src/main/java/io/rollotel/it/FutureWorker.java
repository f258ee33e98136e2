package io.rollotel.it;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.common.util.concurrent.SettableFuture;
import io.opentelemetry.context.Context;
import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Methods that return futures. Each situation calls one method, then {@code between}, and then
 * completes the future on another thread; its line says what it saw.
 */
@SuppressWarnings({
  "FutureReturnValueIgnored", // each situation looks at its own
  "roll-otel:future-end",
  "roll-otel:hidden-carrier",
  "roll-otel:no-carrier"
})
public final class FutureWorker {

  /** Those that never complete, so that they are not collected either. */
  private static final List<Object> KEPT = new ArrayList<>();

  private FutureWorker() {}

  /** All situations, inside one span. */
  public static void main(String[] arguments) throws Exception {
    all(Payload.traced());
    System.out.println("done " + (Context.current() == Context.root()) + " " + KEPT.size());
  }

  @Register(trace = true)
  private static void all(Payload payload) throws Exception {
    CompletableFuture<String> done = CompletableFuture.completedFuture("a");
    situation("completed", done, () -> completed(done), () -> {});
    CompletableFuture<String> failed = CompletableFuture.failedFuture(mine());
    situation("failed", failed, () -> failed(failed), () -> {});

    CompletableFuture<String> later = new CompletableFuture<>();
    situation("later", later, () -> later(later), () -> later.complete("a"));
    CompletableFuture<String> stage = new CompletableFuture<>();
    situation("stage", stage, () -> stage(stage), () -> stage.complete("a"));
    CompletableFuture<String> source = new CompletableFuture<>();
    CompletionStage<String> minimal = source.minimalCompletionStage();
    situation("minimal", minimal, () -> minimal(minimal), () -> source.complete("a"));
    CompletableFuture<String> asObject = new CompletableFuture<>();
    situation("nullValue", asObject, () -> nullValue(asObject), () -> asObject.complete(null));
    Promise<String> promise = new Promise<>();
    situation("subclass", promise, () -> subclass(promise), () -> promise.complete("a"));
    CompletableFuture<String> shared = new CompletableFuture<>();
    situation("nestedOuter", shared, () -> nestedOuter(shared), () -> shared.complete("a"));
    CompletableFuture<String> generic = new CompletableFuture<>();
    FutureWorker worker = new FutureWorker();
    situation("generic", generic, () -> worker.generic(generic, 1, 2), () -> generic.complete("a"));

    CompletableFuture<String> fails = new CompletableFuture<>();
    situation(
        "exceptionally",
        fails,
        () -> exceptionally(fails),
        () -> fails.completeExceptionally(mine()));
    CompletableFuture<String> first = new CompletableFuture<>();
    CompletableFuture<Integer> derived = first.thenApply(String::length);
    situation(
        "derived", derived, () -> derived(derived), () -> first.completeExceptionally(mine()));
    CompletableFuture<String> thrower = new CompletableFuture<>();
    CompletableFuture<String> thrown = thrower.thenApply(FutureWorker::throwMine);
    situation("thrown", thrown, () -> thrown(thrown), () -> thrower.complete("a"));
    CompletableFuture<String> awaited = new CompletableFuture<>();
    situation(
        "expected", awaited, () -> expected(awaited), () -> awaited.completeExceptionally(mine()));
    CompletableFuture<String> cancelled = new CompletableFuture<>();
    situation("cancelled", cancelled, () -> cancelled(cancelled), () -> cancelled.cancel(true));

    CompletableFuture<String> never = new CompletableFuture<>();
    situation("never", never, () -> never(never), () -> {});
    situation("nothing", null, FutureWorker::nothing, () -> {});
    situation("throwing", null, FutureWorker::throwing, () -> {});
    Refusing refusing = new Refusing();
    situation("refusing", refusing, () -> refusing(refusing), () -> {});
    CompletableFuture<String> untraced = new CompletableFuture<>();
    situation("untraced", untraced, () -> untraced(untraced), () -> untraced.complete("a"));

    CompletableFuture<String> future = new CompletableFuture<>();
    situation("plainFuture", future, () -> plainFuture(future), () -> future.complete("a"));
    FutureTask<String> task = new FutureTask<>(() -> "a");
    situation("futureTask", task, () -> futureTask(task), task);
    Promise<String> declared = new Promise<>();
    situation(
        "declaredSubclass",
        declared,
        () -> declaredSubclass(declared),
        () -> declared.complete("a"));
    CompletableFuture<String> object = new CompletableFuture<>();
    situation("object", object, () -> object(object), () -> object.complete("a"));

    Guava.all();
  }

  /** A class of its own, loaded only if Guava is on the class path. */
  private static final class Guava {

    private Guava() {}

    static void all() throws Exception {
      ListenableFuture<String> done = Futures.immediateFuture("a");
      situation("guavaCompleted", done, () -> guavaCompleted(done), () -> {});
      SettableFuture<String> later = SettableFuture.create();
      situation("guavaLater", later, () -> guavaLater(later), () -> later.set("a"));
      SettableFuture<String> fails = SettableFuture.create();
      situation("guavaFails", fails, () -> guavaFails(fails), () -> fails.setException(mine()));
      SettableFuture<String> interrupted = SettableFuture.create();
      situation(
          "guavaInterrupted",
          interrupted,
          () -> guavaInterrupted(interrupted),
          () -> {
            Thread.currentThread().interrupt();
            interrupted.setException(mine());
            if (!Thread.interrupted()) {
              throw new IllegalStateException("the interrupt is lost");
            }
          });
      SettableFuture<String> source = SettableFuture.create();
      ListenableFuture<String> derived =
          Futures.transform(source, FutureWorker::throwMine, MoreExecutors.directExecutor());
      situation("guavaDerived", derived, () -> guavaDerived(derived), () -> source.set("a"));
      SettableFuture<String> cancelled = SettableFuture.create();
      situation(
          "guavaCancelled",
          cancelled,
          () -> guavaCancelled(cancelled),
          () -> cancelled.cancel(false));
      SettableFuture<String> never = SettableFuture.create();
      situation("guavaNever", never, () -> guavaNever(never), () -> {});
      situation("guavaNothing", null, Guava::guavaNothing, () -> {});
      SettableFuture<String> settable = SettableFuture.create();
      situation("guavaSettable", settable, () -> guavaSettable(settable), () -> settable.set("a"));
    }

    @Register(trace = true)
    private static ListenableFuture<String> guavaCompleted(ListenableFuture<String> future) {
      return future;
    }

    @Register(trace = true)
    private static ListenableFuture<String> guavaLater(ListenableFuture<String> future) {
      return future;
    }

    @Register(trace = true)
    private static ListenableFuture<String> guavaFails(ListenableFuture<String> future) {
      return future;
    }

    @Register(trace = true)
    private static ListenableFuture<String> guavaInterrupted(ListenableFuture<String> future) {
      return future;
    }

    @Register(trace = true)
    private static ListenableFuture<String> guavaDerived(ListenableFuture<String> future) {
      return future;
    }

    @Register(trace = true)
    private static ListenableFuture<String> guavaCancelled(ListenableFuture<String> future) {
      return future;
    }

    @Register(trace = true)
    private static ListenableFuture<String> guavaNever(ListenableFuture<String> future) {
      return future;
    }

    @Register(trace = true)
    private static @Nullable ListenableFuture<String> guavaNothing() {
      return null;
    }

    @Register(trace = true)
    private static SettableFuture<String> guavaSettable(SettableFuture<String> future) {
      return future;
    }
  }

  private static void situation(
      String name, @Nullable Object future, Supplier<@Nullable Object> call, Runnable complete)
      throws InterruptedException {
    Context before = Context.current();
    Object returned;
    try {
      returned = call.get();
    } catch (IllegalStateException e) {
      returned = "mine".equals(e.getMessage()) ? null : e;
    }
    boolean kept = Context.current() == before;
    between(name);
    boolean[] keptThere = new boolean[1];
    Thread other =
        new Thread(
            () -> {
              Context there = Context.current();
              complete.run();
              keptThere[0] = Context.current() == there;
            });
    other.start();
    other.join();
    KEPT.add(name);
    if (future != null) {
      KEPT.add(future);
    }
    System.out.println(
        name + " same=" + (returned == future) + " context=" + (kept && keptThere[0]));
  }

  @Register(trace = true)
  private static void between(@SpanAttribute("situation") String name) {}

  private static IllegalStateException mine() {
    return new IllegalStateException("mine");
  }

  private static String throwMine(@Nullable String text) {
    throw mine();
  }

  private static final class Promise<T> extends CompletableFuture<T> {}

  /** Takes no listener. */
  private static final class Refusing extends CompletableFuture<String> {
    @Override
    public CompletableFuture<String> whenComplete(
        BiConsumer<? super String, ? super Throwable> action) {
      throw new UnsupportedOperationException("no listeners");
    }
  }

  @Register(trace = true)
  private static CompletableFuture<String> completed(CompletableFuture<String> future) {
    return future;
  }

  @Register(trace = true)
  private static CompletableFuture<String> failed(CompletableFuture<String> future) {
    return future;
  }

  @Register(trace = true)
  private static CompletableFuture<String> later(CompletableFuture<String> future) {
    return future;
  }

  @Register(trace = true)
  private static CompletionStage<String> stage(CompletionStage<String> future) {
    return future;
  }

  @Register(trace = true)
  private static CompletionStage<String> minimal(CompletionStage<String> future) {
    return future;
  }

  @Register(trace = true)
  private static CompletableFuture<String> nullValue(CompletableFuture<String> future) {
    return future;
  }

  @Register(trace = true)
  private static CompletableFuture<String> subclass(Promise<String> future) {
    return future;
  }

  @Register(trace = true)
  private static CompletableFuture<String> nestedOuter(CompletableFuture<String> future) {
    return nestedInner(future);
  }

  @Register(trace = true)
  private static CompletableFuture<String> nestedInner(CompletableFuture<String> future) {
    return future;
  }

  @Register(trace = true)
  private synchronized <F extends CompletableFuture<String>> F generic(F future, int... more) {
    return future;
  }

  @Register(trace = true)
  private static CompletableFuture<String> exceptionally(CompletableFuture<String> future) {
    return future;
  }

  @Register(trace = true)
  private static CompletableFuture<Integer> derived(CompletableFuture<Integer> future) {
    return future;
  }

  @Register(trace = true)
  private static CompletableFuture<String> thrown(CompletableFuture<String> future) {
    return future;
  }

  @Register(trace = true, expected = IllegalStateException.class)
  private static CompletableFuture<String> expected(CompletableFuture<String> future) {
    return future;
  }

  @Register(trace = true)
  private static CompletableFuture<String> cancelled(CompletableFuture<String> future) {
    return future;
  }

  @Register(trace = true)
  private static CompletableFuture<String> never(CompletableFuture<String> future) {
    return future;
  }

  @Register(trace = true)
  private static @Nullable CompletableFuture<String> nothing() {
    return null;
  }

  @Register(trace = true)
  private static CompletableFuture<String> throwing() {
    throw mine();
  }

  @Register(trace = true)
  private static CompletableFuture<String> refusing(Refusing future) {
    return future;
  }

  @Register
  private static CompletableFuture<String> untraced(CompletableFuture<String> future) {
    return future;
  }

  @Register(trace = true)
  private static Future<String> plainFuture(Future<String> future) {
    return future;
  }

  @Register(trace = true)
  private static FutureTask<String> futureTask(FutureTask<String> future) {
    return future;
  }

  @Register(trace = true)
  private static Promise<String> declaredSubclass(Promise<String> future) {
    return future;
  }

  @Register(trace = true)
  private static Object object(Object future) {
    return future;
  }
}
