package io.rollotel.traces.collector;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rollotel.traces.collector.Rendezvous.Collector;
import io.rollotel.traces.recording.HostName;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which address of a driver its workers use. */
class DriverAddressTest extends RendezvousFixture {

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

  /** Containers that share the host's name, such as pods with hostNetwork. */
  @ParameterizedTest
  @CsvSource({"pid:[1], found", "ours, ignored", "'', ignored"})
  void idThatIsNotSeenHere_mayBeOfAnotherContainer(String namespace, String outcome)
      throws Exception {
    Process dead = new ProcessBuilder("true").start();
    dead.waitFor();
    String told = namespace;
    if (namespace.equals("ours")) {
      try (Rendezvous driver = join(true, null)) {
        assertThat(driver.isDriver()).isTrue();
        told = pidNamespaceInTheAddress();
      }
    }
    Path file = Files.createDirectories(directory.resolve("traces")).resolve(".driver");
    Files.writeString(
        file,
        "run_id=run\nhost=%s\npid=%d\npid_namespace=%s\nendpoint=http://127.0.0.1:1\ntoken=t\n"
            .formatted(HostName.get(), dead.pid(), told));
    try (Rendezvous worker = join(false, null)) {
      assertThat(worker.collector() != null).isEqualTo(outcome.equals("found"));
      assertThat(worker.runId().equals("run")).isEqualTo(outcome.equals("found"));
    }
  }

  private String pidNamespaceInTheAddress() throws IOException {
    Properties address = new Properties();
    try (var in = Files.newInputStream(directory.resolve("traces/.driver"))) {
      address.load(in);
    }
    return address.getProperty("pid_namespace");
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
}
