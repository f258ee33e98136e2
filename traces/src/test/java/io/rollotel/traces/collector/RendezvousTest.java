package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rollotel.traces.collector.Rendezvous.Collector;
import io.rollotel.traces.file.ProcessFileName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who becomes the driver, and of which run. */
class RendezvousTest extends RendezvousFixture {

  @Test
  void first_isTheDriverAndTheNextFindsIt() {
    try (Rendezvous driver = join(true, null);
        Rendezvous worker = join(true, null)) {
      assertThat(driver.isDriver()).isTrue();
      assertThat(worker.isDriver()).isFalse();
      assertThat(worker.runId()).isEqualTo(driver.runId());

      Collector announced = worker.collector();
      Collector collector = driver.collector();
      assertThat(collector).isNotNull();
      assertThat(announced).as("complete before it has started").isEqualTo(elsewhere(collector));
      assertThat(collector.grpc()).isNotNull();
      assertThat(collector.token()).hasSize(32);
      assertThat(worker.collector()).isEqualTo(elsewhere(collector));
    }
    assertThat(warnings).isEmpty();
  }

  /** A full heap may stop a driver between taking the lock and creating what it needs. */
  @Test
  void memoryTooShortForTheDriversStart_isOnlyTheFirstAttemptsProblem() {
    AtomicBoolean isFull = new AtomicBoolean(true);
    Function<String, @Nullable String> values =
        name -> {
          if (isFull.getAndSet(false)) {
            throw new OutOfMemoryError("planted");
          }
          return null;
        };
    try (Rendezvous driver =
        new Rendezvous(directory.toFile(), true, false, null, values, warnings::add, line -> {})) {
      assertThatThrownBy(driver::isDriver).isInstanceOf(OutOfMemoryError.class);
      assertThat(driver.isDriver()).isTrue();
      assertThat(driver.collector()).isNotNull();
      try (Rendezvous worker = join(true, null)) {
        assertThat(worker.collector()).isNotNull();
      }
    }
    assertThat(warnings).isEmpty();
  }

  @Test
  void driverGone_leavesThePlaceToANewRun() {
    Rendezvous first = join(true, null);
    String firstRun = first.runId();
    first.collector();
    first.close();

    try (Rendezvous late = join(false, null);
        Rendezvous second = join(true, null)) {
      assertThat(late.collector()).isNull();
      assertThat(second.isDriver()).isTrue();
      assertThat(second.runId()).isNotEqualTo(firstRun);
    }
  }

  @Test
  void directoryMovedAwayUnderTheDriver_laterProcessesFindItAllTheSame() throws Exception {
    try (Rendezvous driver = join(true, null)) {
      Collector collector = driver.collector();
      Files.move(directory.resolve("traces"), directory.resolve("away"));
      await(() -> Files.exists(directory.resolve("traces/.driver")));
      try (Rendezvous worker = join(true, null)) {
        assertThat(worker.isDriver()).isFalse();
        assertThat(worker.runId()).isEqualTo(driver.runId());
        assertThat(worker.collector()).isEqualTo(elsewhere(collector));
      }
    }
    assertThat(warnings).isEmpty();
  }

  @Test
  void driverThatMayNeverCollect_announcesNoAddressBeforeItDoes() throws Exception {
    try (Rendezvous driver = join(true, null)) {
      driver.listenWhenItCollects();
      assertThat(driver.isDriver()).isTrue();
      Path file = directory.resolve("traces/.driver");
      assertThat(Files.readString(file)).doesNotContain("http://");
      Collector collector = driver.collector();
      assertThat(Files.readString(file)).contains(elsewhere(collector).endpoint().toString());
    }
  }

  @Test
  void workerThatMayNotLead_doesNotTakeTheLock() {
    try (Rendezvous worker = join(false, null);
        Rendezvous driver = join(true, null)) {
      assertThat(worker.runId()).isNotEmpty();
      assertThat(worker.isDriver()).isFalse();
      assertThat(driver.isDriver()).isTrue();
    }
  }

  @Test
  void firstRunThatCallsComeFrom_isTakenByWhoHasNone() {
    try (Rendezvous worker = join(false, null)) {
      assertThat(worker.runIdForCalls()).as("it takes no part yet").isNull();
      assertThat(worker.knownRunId()).isNull();
      assertThat(worker.received("monday")).isTrue();
      assertThat(worker.received("tuesday")).isTrue();
      assertThat(worker.runIdForCalls()).isEqualTo("monday");
      assertThat(worker.runId()).isEqualTo("monday");
    }
    assertThat(warnings).isEmpty();
  }

  @Test
  void callBeforeTheRoleIsDecided_isRemembered() {
    try (Rendezvous worker = join(false, null)) {
      assertThat(worker.received("monday")).as("more may be told").isTrue();
      assertThat(worker.runId()).isEqualTo("monday");
    }
  }

  @Test
  void idThatWasNeededBeforeACallCame_isInventedAndStays() {
    try (Rendezvous worker = join(false, null)) {
      String invented = worker.runId();
      worker.received("monday");
      assertThat(worker.runId()).isEqualTo(invented).isNotEqualTo("monday");
    }
    assertThat(warnings).isEmpty();
  }

  @Test
  void callsFromAnotherRun_areSaidOnceWithTheDirectory() {
    try (Rendezvous driver = join(true, null);
        Rendezvous worker = join(false, null)) {
      assertThat(driver.runId()).isEqualTo(worker.runId());
      for (Rendezvous each : List.of(driver, worker)) {
        assertThat(each.received(driver.runId())).isTrue();
        assertThat(warnings).isEmpty();
        for (int i = 0; i < 3; i++) {
          assertThat(each.received("monday")).isFalse();
        }
        assertThat(warnings)
            .singleElement()
            .asString()
            .contains("calls come from run monday", driver.runId(), directory.toString());
        warnings.clear();
      }
    }
  }

  @Test
  void callsFromAnotherRunThanTheUserSaid_areSaid() {
    try (Rendezvous worker = join(false, "tuesday")) {
      assertThat(worker.runId()).isEqualTo("tuesday");
      assertThat(worker.received("monday")).isFalse();
      assertThat(warnings).singleElement().asString().contains("has ROLL_OTEL_RUN_ID=tuesday");
    }
  }

  @Test
  void noCollectorWanted_isNone() {
    CollectorSettings settings =
        CollectorSettings.read(name -> name.equals("COLLECTOR") ? "none" : null, warnings::add);
    try (Rendezvous driver =
        new Rendezvous(
            directory.toFile(), true, false, null, settings, warnings::add, line -> {})) {
      assertThat(driver.isDriver()).isTrue();
      assertThat(driver.collector()).isNull();
    }
    assertThat(warnings).isEmpty();
  }

  @Test
  void givenRunId_isTaken() {
    try (Rendezvous driver = join(true, "tuesday");
        Rendezvous worker = join(false, null)) {
      assertThat(driver.runId()).isEqualTo("tuesday");
      assertThat(worker.runId()).isEqualTo("tuesday");
    }
  }

  @ParameterizedTest
  @CsvSource({"0777, warned", "01777, silent", "0755, silent"})
  void folderThatAllMayWriteTo_isWarnedOf(String mode, String outcome) throws IOException {
    Files.setAttribute(directory, "unix:mode", Integer.parseInt(mode, 8));
    try (Rendezvous driver = join(true, null)) {
      assertThat(driver.isDriver()).isTrue();
    }
    if (outcome.equals("warned")) {
      assertThat(warnings).singleElement().asString().contains("all users may replace files in");
    } else {
      assertThat(warnings).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"x, 200, 200", "x, 201, 167", "x, 5000, 167", "é, 300, 67", "é, 66, 66"})
  void instanceOfALongName_hasFilesAllTheSame(String letter, int length, int most)
      throws IOException {
    String instance = letter.repeat(length);
    try (Rendezvous worker = join(false, null)) {
      String name = ProcessFileName.of(instance);
      assertThat(name.length()).isLessThanOrEqualTo(most);
      assertThat(ProcessFileName.of(instance)).isEqualTo(name);
      assertThat(ProcessFileName.of(instance + "2")).isNotEqualTo(name);
      Files.createDirectories(directory.resolve("traces"));
      assertThat(worker.ownFile(instance).createNewFile()).isTrue();
    }
  }

  @Test
  void ownFile_isNamedAfterTheInstance() {
    try (Rendezvous worker = join(false, null)) {
      assertThat(worker.ownFile("host:1/../x").toPath())
          .isEqualTo(directory.resolve("traces/host-1-..-x.jsonl"));
    }
  }

  @Test
  void closedBeforeItJoined_doesNotBecomeTheDriver() {
    Rendezvous closed = join(true, null);
    closed.close();
    assertThat(closed.runId()).isNotEmpty();
    assertThat(closed.isDriver()).isFalse();
    assertThat(closed.collector()).isNull();
    assertThat(directory).isEmptyDirectory();
  }

  /** A pipe that nobody reads lets nobody open it to write. */
  @Test
  void collectorThatNeverStarts_holdsNeitherTheEndNorAQuestion() throws Exception {
    Path traces = Files.createDirectories(directory.resolve("traces"));
    Path pipe = traces.resolve("traces.jsonl");
    assumeThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    Rendezvous driver = join(true, null);
    String runId = driver.runId();
    Thread starting = new Thread(driver::collector);
    starting.setDaemon(true);
    starting.start();
    await(() -> isOpening(starting));

    assertThat(driver.runId()).isEqualTo(runId);
    driver.close();
    assertThat(starting.isAlive()).as("still starting").isTrue();
    try (Rendezvous next = join(true, null)) {
      assertThat(next.isDriver()).as("the lock is left to the next run").isTrue();
      assertThat(next.runId()).isNotEqualTo(runId);

      try (var reader = Files.newInputStream(pipe)) { // now it starts, and ends at once
        starting.join(TimeUnit.MINUTES.toMillis(10));
      }
      assertThat(starting.isAlive()).isFalse();
      assertThat(driver.collector().here()).as("that of the next").isNull();
      assertThat(traces.resolve(".driver")).content().contains(next.runId());
    }
    assertThat(warnings).isEmpty();
  }

  private static boolean isOpening(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .anyMatch(frame -> frame.getClassName().equals("java.io.FileOutputStream"));
  }

  @Test
  void unwritableDirectory_isSaidAndEverythingGoesOn() {
    Rendezvous driver =
        new Rendezvous(
            Path.of("/dev/null/otlp").toFile(), true, false, null, warnings::add, line -> {});

    assertThat(driver.runId()).isNotEmpty();
    assertThat(driver.isDriver()).isFalse();
    assertThat(driver.collector()).isNull();
    driver.close();
    assertThat(warnings).singleElement().asString().contains("cannot write in /dev/null/otlp");
  }
}
