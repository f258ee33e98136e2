package io.rollotel.traces.collector;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rollotel.traces.collector.Rendezvous.Collector;
import io.rollotel.traces.file.ProcessFileName;
import io.rollotel.traces.recording.HostName;
import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
  @CsvSource({
    "http://127.0.0.1:4318, this, found",
    "http://127.0.0.1:4318, another, ignored",
    "http://192.0.2.1:4318, another, found",
    "not a url, this, ignored",
    "http://, this, ignored",
    "http:opaque, this, ignored",
    "file:///tmp/spans, this, ignored",
    "ftp://127.0.0.1:4318, this, ignored",
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
  @CsvSource({"to\\rken, ignored", "to\\nken, ignored", "to\\u009bken, ignored", "to ken, found"})
  void tokenThatCannotStandInAHeader_isNotTaken(String token, String outcome) throws IOException {
    Path file = Files.createDirectories(directory.resolve("traces")).resolve(".driver");
    Files.writeString(
        file, "run_id=run\nhost=another\nendpoint=http\\://192.0.2.1\\:1\ntoken=" + token + "\n");
    try (Rendezvous worker = join(false, null)) {
      assertThat(worker.collector() != null).isEqualTo(outcome.equals("found"));
    }
  }

  @Test
  void addressThatOthersMayWrite_isNotBelievedAndSaidOnce() throws IOException {
    try (Rendezvous driver = join(true, null);
        Rendezvous worker = join(false, null)) {
      assertThat(driver.collector()).isNotNull();
      Path file = directory.resolve("traces/.driver");
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
      assertThat(worker.collector()).isNull();
      assertThat(worker.collector()).as("not said again").isNull();
      assertThat(worker.runId()).isNotEqualTo(driver.runId());
      assertThat(warnings).singleElement().asString().contains("not trusted", "others may write");
    }
  }

  @Test
  void addressThatIsALink_isNotBelieved() throws IOException {
    try (Rendezvous driver = join(true, null);
        Rendezvous worker = join(false, null)) {
      assertThat(driver.collector()).isNotNull();
      Path file = directory.resolve("traces/.driver");
      Path strangers = Files.copy(file, directory.resolve("strangers"), COPY_ATTRIBUTES);
      Path link = Files.createSymbolicLink(directory.resolve("link"), strangers);
      Files.move(link, file, ATOMIC_MOVE); // the driver replaces an address that is gone
      assertThat(worker.collector()).isNull();
      assertThat(warnings).singleElement().asString().contains("not trusted");
    }
  }

  /** Each file that a driver makes, as a link that was there before. */
  @ParameterizedTest
  @ValueSource(strings = {".driver", ".driver.PID", ".driver.lock", "traces.jsonl"})
  void linkWhereAFileIsToBe_isNotFollowed(String name) throws IOException {
    Path others = Files.writeString(directory.resolve("others"), "precious");
    Files.setPosixFilePermissions(others, PosixFilePermissions.fromString("rw-r--r--"));
    long pid = ProcessHandle.current().pid();
    Path link =
        Files.createDirectories(directory.resolve("traces"))
            .resolve(name.replace("PID", Long.toString(pid)));
    Files.createSymbolicLink(link, others);
    try (Rendezvous driver = join(true, null)) {
      driver.collector();
    }
    assertThat(others).hasContent("precious");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(others)))
        .isEqualTo("rw-r--r--");
    boolean isReplaced = name.equals(".driver") || name.equals(".driver.PID");
    assertThat(warnings).hasSize(isReplaced ? 0 : 1);
  }

  /** Nobody else opened it between the creation of the file and a change of its mode. */
  @Test
  void address_isForThisUserAlone() throws IOException {
    try (Rendezvous driver = join(true, null)) {
      assertThat(driver.collector()).isNotNull();
      Path file = directory.resolve("traces/.driver");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .isEqualTo("rw-------");
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

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long deadlineNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(10);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadlineNanos);
      Thread.sleep(5); // between two looks
    }
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

  /** As other processes see a driver's. */
  private static Collector elsewhere(Collector collector) {
    return new Collector(collector.endpoint(), collector.token(), null, collector.grpc());
  }

  // ---- workers on other hosts

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void addressOfTheNode_isListenedOnAsWell(boolean isStarted) throws Exception {
    InetAddress address = ofThisHost();
    Map<String, String> told;
    try (Rendezvous driver = withSettings(Map.of())) {
      assertThat(driver.isDriver()).isTrue();
      if (isStarted) {
        assertThat(driver.collector()).isNotNull();
      }
      told = driver.forWorkersReaching(address);
      assertThat(told)
          .hasSize(3)
          .containsEntry("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
          .hasEntrySatisfying(
              "OTEL_EXPORTER_OTLP_ENDPOINT",
              endpoint -> assertThat(endpoint).contains(address.getHostAddress()));
      assertThat(driver.forWorkersReaching(address)).as("of another job").isEqualTo(told);
      Collector collector = driver.collector();
      assertThat(collector).isNotNull();
      assertThat(collector.endpoint().getHost()).as("for all others").isEqualTo("127.0.0.1");
      String token = told.get("OTEL_EXPORTER_OTLP_HEADERS").replaceAll(".*%20", "");
      assertThat(post(told, token)).isEqualTo(200);
      assertThat(post(told, "another")).isEqualTo(401);
    }
    assertThat(catchThrowable(() -> post(told, ""))).isInstanceOf(ConnectException.class);
    assertThat(warnings).singleElement().asString().contains("401");
  }

  @Test
  void addressOfTheNode_isNotListenedOnWhereTheUserHasSaidWhere() throws Exception {
    try (Rendezvous driver = withSettings(Map.of("COLLECTOR_HOST", "127.0.0.1"))) {
      assertThat(driver.forWorkersReaching(ofThisHost())).isEmpty();
    }
  }

  @Test
  void loopbackAddressOfTheNode_isNothingNew() throws Exception {
    try (Rendezvous driver = withSettings(Map.of())) {
      assertThat(driver.forWorkersReaching(InetAddress.getByName("127.0.0.1"))).isEmpty();
    }
  }

  @Test
  void processThatDoesNotCollect_listensNowhere() throws Exception {
    try (Rendezvous driver = withSettings(Map.of());
        Rendezvous worker = withSettings(Map.of())) {
      assertThat(driver.isDriver()).isTrue();
      assertThat(worker.forWorkersReaching(ofThisHost())).isEmpty();
    }
    try (Rendezvous alone = withSettings(Map.of("COLLECTOR", "none"))) {
      assertThat(alone.forWorkersReaching(ofThisHost())).isEmpty();
    }
  }

  @Test
  void addressOfAnotherHost_isSaidAndHurtsNothing() throws Exception {
    InetAddress another = InetAddress.getByName("192.0.2.77"); // of no host
    try (Rendezvous driver = withSettings(Map.of())) {
      assertThat(driver.forWorkersReaching(another)).isEmpty();
      assertThat(driver.collector()).isNotNull();
    }
    assertThat(warnings).singleElement().asString().contains("192.0.2.77", "do not reach");
  }

  private Rendezvous withSettings(Map<String, String> values) {
    return new Rendezvous(
        directory.toFile(), true, false, null, values::get, warnings::add, line -> {});
  }

  private static InetAddress ofThisHost() throws IOException {
    InetAddress found =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .filter(one -> one instanceof Inet4Address && !one.isLoopbackAddress())
            .findFirst()
            .orElse(null);
    assumeThat(found).as("an address that other hosts may reach").isNotNull();
    return found;
  }

  private static int post(Map<String, String> told, String token) throws Exception {
    URI url = URI.create(told.get("OTEL_EXPORTER_OTLP_ENDPOINT") + "/v1/traces");
    HttpURLConnection connection = (HttpURLConnection) url.toURL().openConnection();
    connection.setDoOutput(true);
    connection.setRequestProperty("Content-Type", "application/x-protobuf");
    connection.setRequestProperty("Authorization", "Bearer " + token);
    connection.getOutputStream().close();
    return connection.getResponseCode();
  }

  private Rendezvous join(boolean mayLead, @Nullable String runId) {
    return new Rendezvous(directory.toFile(), mayLead, false, runId, warnings::add, line -> {});
  }
}
