package io.rollotel.examples.cartpole;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * REINFORCE over a cluster of workers: one pipeline step after another, each a separate trace.
 *
 * <p>The spans made here are the driver's: {@code pipeline_step} and one per phase. Those of the
 * workers become children of the phase that dispatched them.
 */
final class Training {
  private static final int EPISODES_PER_WORKER = 80;
  private static final int VALIDATION_INTERVAL_STEPS = 10;
  private static final double LEARNING_RATE = 0.003;

  private final List<WorkerStub> workers;
  private final long seed;
  private final Tracer tracer;
  private final Adam adam = new Adam(LEARNING_RATE, Policy.PARAMETERS);
  private double[] parameters;

  Training(List<WorkerStub> workers, long seed, Tracer tracer) {
    this.workers = workers;
    this.seed = seed;
    this.tracer = tracer;
    this.parameters = Policy.initialParameters(Seeds.generator(seed, 0, -1, 0));
  }

  /** The result of one pipeline step; only every tenth step has a validation return. */
  record StepResult(double meanReturn, OptionalDouble validationReturn) {}

  /** Runs one pipeline step; steps count from 1. */
  StepResult step(long globalStep) {
    Span root =
        tracer
            .spanBuilder("pipeline_step")
            .setNoParent()
            .setAttribute("global_step", globalStep)
            .startSpan();
    return during(root, () -> pipeline(globalStep));
  }

  private StepResult pipeline(long globalStep) {
    phase("model_update", () -> onEachWorker(WorkerStub::modelUpdate, rank -> model()));

    OptionalDouble validationReturn = OptionalDouble.empty();
    if (globalStep % VALIDATION_INTERVAL_STEPS == 0) {
      validationReturn =
          OptionalDouble.of(
              meanReturn(
                  phase(
                      "validation",
                      () -> onEachWorker(WorkerStub::validate, rank -> request(globalStep)))));
    }

    List<DataProto> trajectories =
        phase("rollout", () -> onEachWorker(WorkerStub::generate, rank -> request(globalStep)));

    List<DataProto> advantages =
        phase(
            "compute_rewards",
            () -> onEachWorker(WorkerStub::computeRewards, rank -> trajectories.get(rank)));

    parameters =
        phase(
            "train",
            () ->
                adam.update(
                    parameters,
                    meanGradient(
                        onEachWorker(
                            WorkerStub::trainStep,
                            rank -> trajectories.get(rank).union(advantages.get(rank))))));

    return new StepResult(meanReturn(trajectories), validationReturn);
  }

  private DataProto model() {
    return new DataProto().with("parameters", parameters);
  }

  private DataProto request(long globalStep) {
    return new DataProto()
        .withMeta("seed", seed)
        .withMeta("global_step", globalStep)
        .withMeta("episodes", EPISODES_PER_WORKER);
  }

  /** Sends each worker its payload, then waits for all; the answers are in rank order. */
  private List<DataProto> onEachWorker(
      BiFunction<WorkerStub, DataProto, CompletableFuture<DataProto>> call,
      IntFunction<DataProto> payloadOfRank) {
    List<CompletableFuture<DataProto>> answers = new ArrayList<>();
    for (int rank = 0; rank < workers.size(); rank++) {
      answers.add(call.apply(workers.get(rank), payloadOfRank.apply(rank)));
    }
    return answers.stream().map(CompletableFuture::join).toList();
  }

  /**
   * The mean over all transitions; summed in rank order, because the order of additions shows in
   * the last bits.
   */
  private static double[] meanGradient(List<DataProto> gradients) {
    double[] mean = new double[Policy.PARAMETERS];
    double transitions = 0;
    for (DataProto gradient : gradients) {
      double[] sum = gradient.column("gradient");
      for (int i = 0; i < mean.length; i++) {
        mean[i] += sum[i];
      }
      transitions += gradient.column("transitions")[0];
    }
    for (int i = 0; i < mean.length; i++) {
      mean[i] /= transitions;
    }
    return mean;
  }

  /** The mean return: with a reward of 1 per transition, the mean length of the episodes. */
  private static double meanReturn(List<DataProto> trajectories) {
    return trajectories.stream()
        .flatMapToDouble(share -> Arrays.stream(share.column("lengths")))
        .average()
        .orElseThrow();
  }

  private <T> T phase(String name, Supplier<T> work) {
    return during(tracer.spanBuilder(name).startSpan(), work);
  }

  /** Runs the work with the span current, and ends the span. */
  private static <T> T during(Span span, Supplier<T> work) {
    try (Scope scope = span.makeCurrent()) {
      return work.get();
    } catch (RuntimeException e) {
      span.recordException(e);
      span.setStatus(StatusCode.ERROR);
      throw e;
    } finally {
      span.end();
    }
  }
}
