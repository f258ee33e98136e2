package io.rollotel.examples.cartpole;

import io.rollotel.annotations.Register;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * One rank of the actor cluster: it plays episodes with its copy of the policy and computes the
 * gradient of its share.
 *
 * <p>Tracing takes the annotations and nothing else.
 */
final class PolicyWorker implements Worker {
  private static final double DISCOUNT = 0.99;

  /** Steps count from 1; the generators of step 0 are validation's, the same starts every time. */
  private static final long VALIDATION_STEP = 0;

  private final int rank;
  private final int threads;
  private final Slowness slowness;
  private final ExecutorService players;
  private final Runnable onClose;

  /** Volatile because RMI serves each call on any thread. */
  private volatile Policy policy = new Policy(new double[Policy.PARAMETERS]);

  /**
   * @param threads how many of its threads play; with one, the one that serves the call does
   * @param slowness what makes each of the driver's calls take longer
   */
  PolicyWorker(int rank, int threads, Slowness slowness, Runnable onClose) {
    this.rank = rank;
    this.threads = threads;
    this.slowness = slowness;
    this.players = Executors.newFixedThreadPool(threads);
    this.onClose = onClose;
  }

  /** Sets new parameters. */
  @Override
  @Register(trace = true)
  public DataProto modelUpdate(DataProto parameters) {
    long startNanos = System.nanoTime();
    policy = new Policy(parameters.column("parameters"));
    return stretched(startNanos, new DataProto());
  }

  /** Plays episodes with the current policy and returns their trajectories, one after another. */
  @Override
  @Register(trace = true)
  public DataProto generate(DataProto request) {
    long startNanos = System.nanoTime();
    Policy current = policy;
    int episodes = Math.toIntExact(request.meta("episodes"));
    long seed = request.meta("seed");
    long step = request.meta("global_step");
    if (threads == 1) {
      return stretched(startNanos, play(current, seed, step, 0, episodes));
    }
    List<CompletableFuture<DataProto>> parts = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      int from = episodes * thread / threads;
      int to = episodes * (thread + 1) / threads;
      // Only the agent carries the trace into the pool.
      parts.add(
          CompletableFuture.supplyAsync(() -> playPart(current, seed, step, from, to), players));
    }
    DataProto trajectories = new DataProto();
    for (String column : List.of("observations", "actions", "rewards", "lengths")) {
      trajectories.with(
          column,
          parts.stream()
              .flatMapToDouble(part -> Arrays.stream(part.join().column(column)))
              .toArray());
    }
    return stretched(startNanos, trajectories);
  }

  /** Called only inside the process: its parent is the call that submitted it. */
  @Register(trace = true)
  @SuppressWarnings("roll-otel:no-carrier")
  private DataProto playPart(Policy current, long seed, long step, int from, int to) {
    return play(current, seed, step, from, to);
  }

  /** Each episode has its own generator, so it does not matter who plays it. */
  private DataProto play(Policy current, long seed, long step, int from, int to) {
    int capacity = (to - from) * CartPole.MAX_STEPS;
    double[] observations = new double[capacity * CartPole.OBSERVATION_SIZE];
    double[] actions = new double[capacity];
    double[] rewards = new double[capacity];
    double[] lengths = new double[to - from];

    int transitions = 0;
    for (int episode = from; episode < to; episode++) {
      SplittableRandom random = Seeds.generator(seed, step, rank, episode);
      CartPole cartPole = CartPole.start(random);
      int start = transitions;
      while (!cartPole.isOver()) {
        double[] observation = cartPole.observation();
        int action = random.nextDouble() < current.probabilityOfRight(observation) ? 1 : 0;
        System.arraycopy(
            observation,
            0,
            observations,
            transitions * CartPole.OBSERVATION_SIZE,
            CartPole.OBSERVATION_SIZE);
        actions[transitions] = action;
        rewards[transitions] = cartPole.step(action);
        transitions++;
      }
      lengths[episode - from] = transitions - start;
    }
    return new DataProto()
        .with("observations", Arrays.copyOf(observations, transitions * CartPole.OBSERVATION_SIZE))
        .with("actions", Arrays.copyOf(actions, transitions))
        .with("rewards", Arrays.copyOf(rewards, transitions))
        .with("lengths", lengths);
  }

  /**
   * Turns rewards into advantages: the discounted return from each transition on, less a baseline,
   * scaled to unit deviation.
   *
   * <p>The baseline of a transition is the mean return of this rank's episodes at the same time.
   */
  @Override
  @Register(trace = true)
  public DataProto computeRewards(DataProto trajectories) {
    long startNanos = System.nanoTime();
    double[] rewards = trajectories.column("rewards");
    double[] lengths = trajectories.column("lengths");

    double[] returns = new double[rewards.length];
    double[] returnSums = new double[CartPole.MAX_STEPS];
    int[] returnCounts = new int[CartPole.MAX_STEPS];
    int start = 0;
    for (double length : lengths) {
      double discounted = 0;
      for (int time = (int) length - 1; time >= 0; time--) {
        discounted = rewards[start + time] + DISCOUNT * discounted;
        returns[start + time] = discounted;
        returnSums[time] += discounted;
        returnCounts[time]++;
      }
      start += (int) length;
    }

    double[] advantages = new double[rewards.length];
    double sumOfSquares = 0;
    start = 0;
    for (double length : lengths) {
      for (int time = 0; time < (int) length; time++) {
        double advantage = returns[start + time] - returnSums[time] / returnCounts[time];
        advantages[start + time] = advantage;
        sumOfSquares += advantage * advantage;
      }
      start += (int) length;
    }
    // Once every episode reaches the cap all advantages are zero: nothing to scale, nothing to
    // learn.
    double scale = sumOfSquares > 0 ? Math.sqrt(advantages.length / sumOfSquares) : 0;
    for (int i = 0; i < advantages.length; i++) {
      advantages[i] *= scale;
    }
    return stretched(startNanos, new DataProto().with("advantages", advantages));
  }

  /** The policy gradient of this share: the sum over its transitions. */
  @Override
  @Register(trace = true)
  public DataProto trainStep(DataProto trajectories) {
    long startNanos = System.nanoTime();
    Policy current = policy;
    double[] observations = trajectories.column("observations");
    double[] actions = trajectories.column("actions");
    double[] advantages = trajectories.column("advantages");

    double[] gradient = new double[Policy.PARAMETERS];
    double[] observation = new double[CartPole.OBSERVATION_SIZE];
    for (int i = 0; i < actions.length; i++) {
      System.arraycopy(observations, i * observation.length, observation, 0, observation.length);
      current.addGradient(observation, (int) actions[i], advantages[i], gradient);
    }
    return stretched(
        startNanos, new DataProto().with("gradient", gradient).with("transitions", actions.length));
  }

  /** Always plays the likelier action, and returns the length of each episode. */
  @Override
  @Register(trace = true)
  public DataProto validate(DataProto request) {
    long startNanos = System.nanoTime();
    Policy current = policy;
    double[] lengths = new double[Math.toIntExact(request.meta("episodes"))];
    for (int episode = 0; episode < lengths.length; episode++) {
      CartPole cartPole =
          CartPole.start(Seeds.generator(request.meta("seed"), VALIDATION_STEP, rank, episode));
      while (!cartPole.isOver()) {
        lengths[episode] +=
            cartPole.step(current.probabilityOfRight(cartPole.observation()) > 0.5 ? 1 : 0);
      }
    }
    return stretched(startNanos, new DataProto().with("lengths", lengths));
  }

  /** The answer of a call that began then, delayed by this worker's slowness. */
  private DataProto stretched(long startNanos, DataProto answer) {
    slowness.prolong(System.nanoTime() - startNanos);
    return answer;
  }

  @Override
  public void close() {
    players.shutdown();
    onClose.run();
  }
}
