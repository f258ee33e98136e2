package io.rollotel.examples.cartpole;

import java.io.IOException;
import java.rmi.RemoteException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The worker JVMs of one kind, numbered by rank. */
final class Cluster implements AutoCloseable {
  private final List<WorkerProcess> processes = new ArrayList<>();
  private final List<WorkerStub> workers = new ArrayList<>();
  private final ExecutorService senders;

  private Cluster(int worldSize) {
    senders = Executors.newFixedThreadPool(worldSize);
  }

  /** Starts all workers at once and returns when every one is ready. */
  static Cluster start(String name, Options options) throws IOException, InterruptedException {
    Cluster cluster = new Cluster(options.workers());
    try {
      for (int rank = 0; rank < options.workers(); rank++) {
        cluster.processes.add(WorkerProcess.start(name, rank, options));
      }
      for (WorkerProcess process : cluster.processes) {
        cluster.workers.add(new WorkerStub(process.name(), process.awaitReady(), cluster.senders));
      }
      return cluster;
    } catch (IOException | InterruptedException | RuntimeException e) {
      cluster.processes.forEach(WorkerProcess::destroy);
      cluster.close();
      throw e;
    }
  }

  /** The workers in rank order. */
  List<WorkerStub> workers() {
    return List.copyOf(workers);
  }

  /** How the first worker that is no longer alive ended. */
  Optional<String> obituary() {
    return processes.stream().map(WorkerProcess::obituary).flatMap(Optional::stream).findFirst();
  }

  /** Asks every worker to end, then waits for their processes in rank order. */
  @Override
  public void close() {
    for (int rank = 0; rank < workers.size(); rank++) {
      try {
        workers.get(rank).close();
      } catch (RemoteException e) {
        processes.get(rank).destroy();
      }
    }
    processes.forEach(WorkerProcess::awaitExit);
    senders.shutdown();
  }
}
