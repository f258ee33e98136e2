package io.rollotel.agent.span;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How to find out when the future that a method is declared to return has completed. The future
 * itself is never replaced by a derived one, since a cancellation must reach its source.
 */
enum FutureCompletion {
  /** The JDK's. */
  STAGE {
    @Override
    void whenComplete(Object future, Consumer<@Nullable Throwable> end) {
      CompletionStage<?> stage = (CompletionStage<?>) future;
      // The JDK's other stages refuse to say whether they are done.
      if (future.getClass() == CompletableFuture.class
          && ((CompletableFuture<?>) future).isDone()) {
        stage.whenComplete((value, thrown) -> end.accept(cause(thrown))); // at once: nothing waits
        return;
      }
      if (SharedFutures.isFull(future)) {
        end.accept(null);
        return;
      }
      stage.whenComplete(
          (value, thrown) -> {
            SharedFutures.ended();
            end.accept(cause(thrown));
          });
      SharedFutures.waits(); // not if it takes no listener
    }
  },

  /** Guava's future, which the agent knows only by name. */
  LISTENABLE {
    @Override
    void whenComplete(Object future, Consumer<@Nullable Throwable> end) throws Throwable {
      Future<?> listened = (Future<?>) future;
      if (listened.isDone()) {
        end.accept(outcome(listened));
        return;
      }
      if (SharedFutures.isFull(future)) {
        end.accept(null);
        return;
      }
      Runnable listener =
          () -> {
            SharedFutures.ended();
            end.accept(outcome(listened));
          };
      Executor direct = Runnable::run;
      ADD_LISTENER.get(future.getClass()).invoke(future, listener, direct);
      SharedFutures.waits();
    }
  };

  private static final String LISTENABLE_FUTURE =
      "com.google.common.util.concurrent.ListenableFuture";

  /** Per class of future, since each class loader may have a Guava of its own. */
  private static final ClassValue<MethodHandle> ADD_LISTENER =
      new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> future) {
          try {
            return MethodHandles.publicLookup()
                .findVirtual(
                    Class.forName(LISTENABLE_FUTURE, false, future.getClassLoader()),
                    "addListener",
                    MethodType.methodType(void.class, Runnable.class, Executor.class));
          } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(e);
          }
        }
      };

  /** The end of a method that is declared to return this type; that of stages for all others. */
  static FutureCompletion of(String returnType) {
    return returnType.equals(LISTENABLE_FUTURE) ? LISTENABLE : STAGE;
  }

  /**
   * Calls {@code end} once the future has completed, on the thread that completes it, with the
   * exception or null.
   */
  abstract void whenComplete(Object future, Consumer<@Nullable Throwable> end) throws Throwable;

  /** The exception of the user's code, without the JDK's wrappers. */
  private static @Nullable Throwable cause(@Nullable Throwable thrown) {
    if (thrown instanceof CompletionException || thrown instanceof ExecutionException) {
      Throwable cause = thrown.getCause();
      return cause == null ? thrown : cause;
    }
    return thrown;
  }

  private static @Nullable Throwable outcome(Future<?> completed) {
    boolean isInterrupted = Thread.interrupted(); // otherwise get would throw that instead
    try {
      completed.get(); // never waits: it has completed
      return null;
    } catch (ExecutionException | CancellationException e) {
      return cause(e);
    } catch (InterruptedException e) {
      isInterrupted = true;
      return null;
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
