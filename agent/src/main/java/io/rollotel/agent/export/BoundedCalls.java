package io.rollotel.agent.export;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.rollotel.agent.background.PassingCall;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Calls of the export thread that may hang: each runs on another thread, for a bounded time. For
 * the export thread.
 */
final class BoundedCalls {

  /**
   * The time between two checks of the queue while an answer is awaited. Filling the queue wakes
   * the thread as well.
   */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private @Nullable PassingCall<?> hungCall;

  /**
   * Waits for a result, which has failed if it does not come in time. An interrupt by the
   * application has to wait.
   */
  static void await(CompletableResultCode result, long patienceNanos, Runnable meanwhile) {
    Thread waiting = Thread.currentThread();
    result.whenComplete(() -> LockSupport.unpark(waiting));
    long deadlineNanos = System.nanoTime() + patienceNanos;
    boolean interrupted = false;
    while (!result.isDone() && System.nanoTime() - deadlineNanos < 0) {
      meanwhile.run();
      if (!result.isDone()) {
        LockSupport.parkNanos(result, LOOK_NANOS);
        interrupted |= Thread.interrupted();
      }
    }
    result.fail(); // does nothing if it has come
    if (interrupted) {
      waiting.interrupt();
    }
  }

  /**
   * The SDK's marshalling leaves a thread local behind; an interrupt by the application has to
   * wait.
   */
  <T extends @Nullable Object> T onPassingThread(Callable<T> work, Runnable meanwhile)
      throws IOException {
    if (hungCall != null && hungCall.isStuck()) {
      throw new IOException("the last call has not returned");
    }
    hungCall = null;
    PassingCall<T> call = new PassingCall<>(work);
    boolean interrupted = Thread.interrupted();
    try {
      // Bounded, because an exporter may hang, and a thread that runs out of memory dies without an
      // answer.
      return call.get(FallbackExporter.ANSWER_NANOS, meanwhile);
    } catch (TimeoutException e) {
      // No further call: the stuck one holds its batch, and with it the application's classes.
      hungCall = call;
      throw new IOException("no answer", e);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } finally {
      if (call.isStuck()) { // work done meanwhile may have failed for lack of memory
        hungCall = call;
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
