package io.rollotel.examples.cartpole;

import io.rollotel.annotations.Dispatch;
import java.rmi.RemoteException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/**
 * The driver's end of one worker: every call is sent at once and answered later.
 *
 * <p>{@code @Dispatch} writes the caller's trace context into the payload before the body runs, on
 * the calling thread; the thread that then makes the RMI call does not need the context.
 */
final class WorkerStub {
  private final String workerName;
  private final Worker worker;
  private final Executor senders;

  /**
   * @param worker the remote object, or a worker in this JVM
   * @param senders needs a free thread for each worker, otherwise the workers wait for each other
   */
  WorkerStub(String workerName, Worker worker, Executor senders) {
    this.workerName = workerName;
    this.worker = worker;
    this.senders = senders;
  }

  @Dispatch
  CompletableFuture<DataProto> modelUpdate(DataProto parameters) {
    return send(() -> worker.modelUpdate(parameters));
  }

  @Dispatch
  CompletableFuture<DataProto> generate(DataProto request) {
    return send(() -> worker.generate(request));
  }

  @Dispatch
  CompletableFuture<DataProto> computeRewards(DataProto trajectories) {
    return send(() -> worker.computeRewards(trajectories));
  }

  @Dispatch
  CompletableFuture<DataProto> trainStep(DataProto trajectories) {
    return send(() -> worker.trainStep(trajectories));
  }

  @Dispatch
  CompletableFuture<DataProto> validate(DataProto request) {
    return send(() -> worker.validate(request));
  }

  void close() throws RemoteException {
    worker.close();
  }

  private CompletableFuture<DataProto> send(RemoteCall call) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return call.answer();
          } catch (RemoteException | RuntimeException e) {
            throw new CompletionException(workerName + " did not answer: " + e.getMessage(), e);
          }
        },
        senders);
  }

  /** One call on the wire. */
  private interface RemoteCall {
    DataProto answer() throws RemoteException;
  }
}
