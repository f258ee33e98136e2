package io.rollotel.it.kit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A broker of Kafka's that is a controller too, alone, on ports and in a folder of its own. */
public final class KafkaBroker implements AutoCloseable {

  private final Path directory;
  private final Path properties;
  private final int port = FreePort.find();
  private Process process;

  /** One with an empty log, which is not started yet. */
  public KafkaBroker(Path directory) throws Exception {
    this.directory = Files.createDirectories(directory);
    int controllerPort = FreePort.find();
    properties = directory.resolve("server.properties");
    Files.writeString(
        properties,
        """
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@127.0.0.1:%2$d
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
        advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
        log.dirs=%3$s
        num.partitions=4
        offsets.topic.num.partitions=1
        offsets.topic.replication.factor=1
        group.initial.rebalance.delay.ms=0
        """
            .formatted(port, controllerPort, directory.resolve("log")));
    Finished.of(
            java(
                "kafka.tools.StorageTool",
                "format",
                "--cluster-id=" + UUID.randomUUID(),
                "--config=" + properties))
        .isWell();
  }

  /** Its address, as clients are told. */
  public String address() {
    return "127.0.0.1:" + port;
  }

  /** Starts it, with what its log has. */
  public void start() throws Exception {
    Path log = Files.createTempFile(directory, "kafka", ".txt");
    process =
        java("kafka.Kafka", properties.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    Patience.until(
        () -> "Kafka listens: " + Files.readString(log), process.toHandle(), this::listens);
  }

  private boolean listens() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  private ProcessBuilder java(String main, String... arguments) {
    Path jars = Engines.folder("kafka", "pom.xml").resolve("target/lib");
    List<String> command =
        new ArrayList<>(
            List.of(
                Finished.jdk("java"),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                jars + "/*",
                main));
    command.addAll(List.of(arguments));
    return Launched.clean(new ProcessBuilder(command).directory(directory.toFile()));
  }

  /** Kills it, so that it writes nothing more. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() throws InterruptedException {
    if (process != null) {
      kill();
    }
  }
}
