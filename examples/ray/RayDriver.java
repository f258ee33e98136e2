package io.rollotel.examples.cartpole;

import io.opentelemetry.api.trace.Tracer;
import io.ray.api.ActorHandle;
import io.ray.api.Ray;
import io.rollotel.telemetry.Telemetry;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The same training on Ray: each worker is an actor in a process of Ray's. Compiled and started by
 * {@code ./demo --ray}; not a part of the Maven build, for which Ray would be much to fetch.
 */
public final class RayDriver {

  private RayDriver() {}

  /** What Ray calls to make an actor. */
  public static PolicyWorker worker(int rank, int threads, String slowness) {
    return new PolicyWorker(rank, threads, Slowness.of(slowness), () -> {});
  }

  public static void main(String[] args) throws IOException {
    Options options = Options.ofMain(args);
    Telemetry.init("driver");
    Tracer tracer = Telemetry.tracer("roll");
    ExecutorService senders = Executors.newFixedThreadPool(options.workers());
    Ray.init();
    try (Writer returns = Driver.returnsWriter(options)) {
      List<WorkerStub> workers = new ArrayList<>();
      for (int rank = 0; rank < options.workers(); rank++) {
        ActorHandle<PolicyWorker> actor =
            Ray.actor(RayDriver::worker, rank, options.threads(), options.slowness(rank))
                .setJvmOptions(jvmOptions(rank, options.slowness(rank)))
                .remote();
        workers.add(new WorkerStub("actor-" + rank, new Remote(actor), senders));
      }
      Driver.train(options.steps(), new Training(workers, options.seed(), tracer), returns);
    } finally {
      Ray.shutdown();
      senders.shutdown();
      Telemetry.shutdown();
    }
  }

  private static List<String> jvmOptions(int rank, String slowness) {
    List<String> all = new ArrayList<>(Slowness.jvmOptions(slowness));
    // What RANK says elsewhere.
    all.add("-Dotel.resource.attributes=roll.rank=" + rank);
    return all;
  }

  /** The driver's end of an actor. */
  private static final class Remote implements Worker {
    private final ActorHandle<PolicyWorker> actor;

    Remote(ActorHandle<PolicyWorker> actor) {
      this.actor = actor;
    }

    @Override
    public DataProto modelUpdate(DataProto parameters) {
      return actor.task(PolicyWorker::modelUpdate, parameters).remote().get();
    }

    @Override
    public DataProto generate(DataProto request) {
      return actor.task(PolicyWorker::generate, request).remote().get();
    }

    @Override
    public DataProto computeRewards(DataProto trajectories) {
      return actor.task(PolicyWorker::computeRewards, trajectories).remote().get();
    }

    @Override
    public DataProto trainStep(DataProto trajectories) {
      return actor.task(PolicyWorker::trainStep, trajectories).remote().get();
    }

    @Override
    public DataProto validate(DataProto request) {
      return actor.task(PolicyWorker::validate, request).remote().get();
    }

    @Override
    public void close() {
      actor.kill();
    }
  }
}
