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
 * Calls of the export thread's that may hang, each on another thread and for so long at most. For
 * the export thread.
 */
final class BoundedCalls {

  /** Between looks at the queue while an answer is awaited; who fills it wakes the thread, too. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private @Nullable PassingCall<?> hungCall;

  /** An interrupt of the application's has to wait. */
  static void await(CompletableResultCode result, Runnable meanwhile) {
    Thread waiting = Thread.currentThread();
    result.whenComplete(() -> LockSupport.unpark(waiting));
    long deadlineNanos = System.nanoTime() + FallbackExporter.ANSWER_NANOS;
    boolean interrupted = false;
    while (!result.isDone() && System.nanoTime() - deadlineNanos < 0) {
      meanwhile.run();
      if (!result.isDone()) {
        LockSupport.parkNanos(result, LOOK_NANOS);
        interrupted |= Thread.interrupted();
      }
    }
    if (interrupted) {
      waiting.interrupt();
    }
  }

  /**
   * The SDK's marshalling leaves a thread local behind; an interrupt of the application's has to
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
      // Bounded: an exporter may hang, and a thread that runs out of memory dies without an answer.
      return call.get(FallbackExporter.ANSWER_NANOS, meanwhile);
    } catch (TimeoutException e) {
      hungCall = call; // no other: it holds its batch, and the application's classes with it
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
