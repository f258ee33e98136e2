package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.collector.Rendezvous.Collector;
import io.rollotel.traces.recording.HostName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RendezvousTest {

  private final List<String> warnings = new ArrayList<>();
  private @TempDir Path directory;

  @Test
  void first_isTheDriverAndTheNextFindsIt() {
    try (Rendezvous driver = join(true, null);
        Rendezvous worker = join(true, null)) {
      assertThat(driver.isDriver()).isTrue();
      assertThat(worker.isDriver()).isFalse();
      assertThat(worker.runId()).isEqualTo(driver.runId());

      assertThat(worker.collector()).as("not started yet").isNull();
      Collector collector = driver.collector();
      assertThat(collector).isNotNull();
      assertThat(collector.token()).hasSize(32);
      assertThat(worker.collector()).isEqualTo(collector);
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
  void workerThatMayNotLead_doesNotTakeTheLock() {
    try (Rendezvous worker = join(false, null);
        Rendezvous driver = join(true, null)) {
      assertThat(worker.runId()).isNotEmpty();
      assertThat(worker.isDriver()).isFalse();
      assertThat(driver.isDriver()).isTrue();
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
  @CsvSource({
    "http://127.0.0.1:4318, this, found",
    "http://127.0.0.1:4318, another, ignored",
    "http://192.0.2.1:4318, another, found",
    "not a url, this, ignored",
    "http://, this, ignored",
  })
  void address_isUsedWhereItCanBeReached(String endpoint, String host, String outcome)
      throws IOException {
    Properties address = new Properties();
    address.setProperty("run_id", "run");
    address.setProperty("endpoint", endpoint);
    address.setProperty("token", "token");
    address.setProperty("pid", Long.toString(ProcessHandle.current().pid()));
    address.setProperty("host", host.equals("this") ? HostName.get() : host);
    Files.createDirectories(directory.resolve("traces"));
    try (var out = Files.newOutputStream(directory.resolve("traces/.driver"))) {
      address.store(out, null);
    }

    try (Rendezvous worker = join(false, null)) {
      assertThat(worker.collector() != null).isEqualTo(outcome.equals("found"));
    }
  }

  @Test
  void addressOfADeadDriver_isNotTaken() throws Exception {
    Process dead =
        new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-version").start();
    dead.waitFor();
    Properties address = new Properties();
    address.setProperty("run_id", "killed");
    address.setProperty("host", HostName.get());
    address.setProperty("pid", Long.toString(dead.pid()));
    address.setProperty("endpoint", "http://127.0.0.1:1");
    address.setProperty("token", "token");
    Files.createDirectories(directory.resolve("traces"));
    try (var out = Files.newOutputStream(directory.resolve("traces/.driver"))) {
      address.store(out, null);
    }

    try (Rendezvous worker = join(false, null);
        Rendezvous driver = join(true, null)) {
      assertThat(worker.collector()).isNull();
      assertThat(worker.runId()).isNotEqualTo("killed");
      assertThat(driver.runId()).isNotEqualTo("killed");
    }
  }

  @ParameterizedTest
  @CsvSource({"x, 200, 200", "x, 201, 167", "x, 5000, 167", "é, 300, 67", "é, 66, 66"})
  void instanceOfALongName_hasFilesAllTheSame(String letter, int length, int most)
      throws IOException {
    String instance = letter.repeat(length);
    try (Rendezvous worker = join(false, null)) {
      String name = worker.fileName(instance);
      assertThat(name.length()).isLessThanOrEqualTo(most);
      assertThat(worker.fileName(instance)).isEqualTo(name);
      assertThat(worker.fileName(instance + "2")).isNotEqualTo(name);
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

  private Rendezvous join(boolean mayLead, @Nullable String runId) {
    return new Rendezvous(directory.toFile(), mayLead, false, runId, warnings::add, line -> {});
  }
}
