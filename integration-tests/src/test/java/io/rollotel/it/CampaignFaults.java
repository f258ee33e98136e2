package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.CollectProcess;
import io.rollotel.it.kit.FaultyNetwork;
import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.ProgramRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** What a seed of the campaign does to a program's surroundings. */
final class CampaignFaults implements AutoCloseable {

  /** Without it: in a full heap the JDK itself may end the JVM, though seldom. */
  static final boolean FULL_HEAP = Boolean.getBoolean("campaign.heap");

  /** The library libfaketime, by which a program's clock can be set back; none by default. */
  private static final String FAKE_CLOCK = System.getProperty("campaign.clock", "");

  private static final int STEPS = Integer.getInteger("campaign.steps", 25);

  private enum Collecting {
    HERE,
    OTHER_PROCESS,
    OWN_FILE
  }

  private final Random random;
  private final int seed;
  private final Path where;
  private final Path output;
  private final Collecting collecting;
  private final List<String> done = new ArrayList<>();
  private CollectProcess collector; // null where there is no other process
  private FaultyNetwork network; // null likewise
  private final Path clock; // null where the program has the machine's
  private final String limits;
  private boolean isStopped;
  private boolean isKilled;
  private volatile String broken = "";

  CampaignFaults(int seed, Path where) throws Exception {
    this.seed = seed;
    this.where = where;
    random = new Random(seed * 31L);
    output = Files.createDirectories(where.resolve("traced")).resolve("output/otlp");
    collecting = Collecting.values()[random.nextInt(Collecting.values().length)];
    done.add(collecting.toString());
    if (collecting == Collecting.OTHER_PROCESS) {
      collector = CollectProcess.start(output, 0, 0);
      network = FaultyNetwork.to(collector.httpPort());
    }
    int kibibytes = random.nextInt(4) == 0 ? 128 + random.nextInt(8_000) : 0;
    int descriptors = random.nextInt(2) == 0 ? 64 + random.nextInt(200) : 1_024;
    String sizes =
        (kibibytes == 0 ? "" : "ulimit -f " + kibibytes + "; ") + "ulimit -n " + descriptors;
    done.add(sizes);
    clock = FAKE_CLOCK.isEmpty() || random.nextInt(6) != 0 ? null : where.resolve("clock");
    if (clock != null) {
      Files.writeString(clock, "+0\n");
      done.add("clock of its own");
    }
    limits = clock == null ? sizes : sizes + "; " + fakeClock();
  }

  /** Of bash: the clock says what the file says, looked at each second; no other clock does. */
  private String fakeClock() {
    return "export LD_PRELOAD='%s' FAKETIME_TIMESTAMP_FILE='%s' FAKETIME_CACHE_DURATION=1 %s"
        .formatted(FAKE_CLOCK, clock, "DONT_FAKE_MONOTONIC=1 FAKETIME_DONT_FAKE_MONOTONIC=1");
  }

  /** Whether its times tell something: with libfaketime each reading of a clock is slow. */
  boolean isTimed() {
    return clock == null;
  }

  /** Under the same limits, without the agent. */
  LiveProgram startPlain() throws IOException {
    return program(Files.createDirectories(where.resolve("plain")))
        .withoutAgent()
        .withoutEnvironment("ROLL_OTEL_ENABLED")
        .startLimited(limits);
  }

  LiveProgram startTraced() throws IOException {
    ProgramRun run =
        program(where.resolve("traced"))
            .environment("ROLL_OTEL_LOG", "info")
            .environment("ROLL_OTEL_EXIT_TIMEOUT", "1s");
    if (collecting == Collecting.OTHER_PROCESS) {
      run.environment("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + network.port());
    } else if (collecting == Collecting.OWN_FILE) {
      run.environment("ROLL_OTEL_EXPORTER", "file");
    }
    return run.startLimited(limits);
  }

  private ProgramRun program(Path in) {
    return ProgramRun.of(in, CampaignWorker.class, seed + "", STEPS + "", FULL_HEAP + "")
        .jvmOptions("-Xmx64m", "-Xss512k", "-XX:-MaxFDLimit");
  }

  /** Runs until it ends by itself or is interrupted. */
  Thread strike(ProcessHandle program) {
    Thread hands =
        new Thread(
            () -> {
              try {
                for (int i = random.nextInt(5); i > 0 && program.isAlive(); i--) {
                  Thread.sleep(random.nextInt(600));
                  strikeOnce();
                }
              } catch (InterruptedException over) {
                // The program has ended.
              } catch (Exception e) {
                broken = e.toString();
              }
            });
    hands.start();
    return hands;
  }

  private void strikeOnce() throws Exception {
    if (clock != null && random.nextBoolean()) {
      done.add("clock set back");
      Files.writeString(clock, "-" + (1 + random.nextInt(7_200)) + "\n");
      return;
    }
    int fault = random.nextInt(collecting == Collecting.OTHER_PROCESS ? 8 : 2);
    switch (fault) {
      case 0, 1 -> {
        if (Files.isDirectory(output)) {
          done.add("directory removed");
          Files.move(output, where.resolve("away" + done.size()));
        }
      }
      case 2 -> {
        done.add("collector stopped");
        collector.signal("STOP");
        isStopped = true;
        Thread.sleep(random.nextInt(500));
        collector.signal("CONT");
        isStopped = false;
      }
      case 3 -> {
        done.add("collector killed");
        isKilled = true;
        isStopped = false;
        collector.signal("KILL");
        Thread.sleep(random.nextInt(300)); // in which the program may end
        collector = CollectProcess.start(output, collector.httpPort(), 0);
        isKilled = false;
      }
      case 4 -> {
        done.add("collector left stopped");
        collector.signal("STOP");
        isStopped = true;
      }
      default -> {
        FaultyNetwork.State state = FaultyNetwork.State.values()[random.nextInt(4)];
        done.add("network " + state);
        network.set(state);
      }
    }
  }

  /** Spans in flight reach its files. */
  void end() throws Exception {
    assertThat(broken).as("what the test itself could not do").isEmpty();
    if (collector != null) {
      if (isStopped) {
        collector.signal("CONT");
      }
      network.set(FaultyNetwork.State.GOOD);
      if (!isKilled) {
        collector.stop();
      }
    }
  }

  @Override
  public void close() throws Exception {
    if (collector != null) {
      collector.close();
      network.close();
    }
  }

  @Override
  public String toString() {
    return done.toString();
  }
}
