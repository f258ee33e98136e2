package io.rollotel.examples.agentrun;

import io.rollotel.telemetry.Run;
import io.rollotel.telemetry.RunStep;
import io.rollotel.telemetry.RunTelemetry;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Solves puzzles: {@code AgentRun [EPISODES [SEED [RECORDS]]]}, by default 12 episodes, seed 7, and
 * records in {@code episodes.jsonl}.
 *
 * <p>Without the roll-otel agent, or without {@code ROLL_OTEL_RUNS_ENABLED}, the telemetry calls do
 * nothing and the puzzles are solved in the same way.
 */
public final class AgentRun {
  private static final int SHUFFLES = 60;
  private static final int MAX_STEPS = 400;
  private static final int BOARDS_PER_STEP = 100;

  private final RunTelemetry runs;
  private final Records records;
  private final SplittableRandom random;
  private final Policy policy;

  private AgentRun(RunTelemetry runs, Records records, long seed) {
    this.runs = runs;
    this.records = records;
    random = new SplittableRandom(seed);
    policy = new Policy(random.split());
  }

  /** Exits with 2 if the arguments are invalid. */
  public static void main(String[] arguments) throws IOException {
    int episodes;
    long seed;
    try {
      episodes = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 12;
      seed = arguments.length > 1 ? Long.parseLong(arguments[1]) : 7;
    } catch (NumberFormatException e) {
      System.err.println("usage: AgentRun [EPISODES [SEED [RECORDS]]]");
      System.exit(2);
      return;
    }
    Path file = Path.of(arguments.length > 2 ? arguments[2] : "episodes.jsonl");
    try (Writer out = Files.newBufferedWriter(file)) {
      AgentRun agent = new AgentRun(RunTelemetry.fromEnvironment(), new Records(out), seed);
      for (int episode = 1; episode <= episodes; episode++) {
        agent.episode(episode);
      }
    }
  }

  private void episode(int episode) throws IOException {
    Board start = Board.shuffled(random, SHUFFLES);
    int choice = policy.choose();
    double weight = policy.weight(choice);
    Search search = new Search(start, weight);
    String model = "weighted-astar-" + weight;
    String id = "episode-" + episode;
    double total = 0;
    try (Run run = runs.runStarted(id, "solve " + start, "sliding-puzzle", MAX_STEPS, model)) {
      for (int number = 1; number <= MAX_STEPS && !search.isSolved(); number++) {
        try (RunStep step = run.step(number, "search")) {
          step.code("expand(" + BOARDS_PER_STEP + ") from distance " + search.nearest());
          int nearer = search.expand(BOARDS_PER_STEP);
          double reward = nearer - 0.1 + (search.isSolved() ? 10 - 0.1 * search.way().size() : 0);
          total += reward;
          step.reward(reward).output(search.expanded() + " boards seen").success();
          records.write(record(episode, number, search, reward));
        }
      }
      run.end(search.isSolved(), answer(search), null);
    }
    policy.learn(choice, total);
    System.out.printf(
        Locale.ROOT,
        "episode %2d  %s  weight %.1f  %6d boards  %3d moves  reward %6.2f%n",
        episode,
        start,
        weight,
        search.expanded(),
        search.way().size() - 1,
        total);
  }

  private static Map<String, Object> record(int episode, int number, Search search, double reward) {
    Map<String, Object> record = new LinkedHashMap<>();
    record.put("episode", episode);
    record.put("step", number);
    record.put("nearest", search.nearest());
    record.put("reward", reward);
    return record;
  }

  private static String answer(Search search) {
    List<Board> way = search.way();
    return way.isEmpty() ? "" : way.size() - 1 + " moves: " + way;
  }
}
