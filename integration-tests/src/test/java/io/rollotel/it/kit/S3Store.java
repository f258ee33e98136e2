package io.rollotel.it.kit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A store with the interface of S3 and one bucket, on a port and in a folder of its own. */
public final class S3Store implements AutoCloseable {

  private static final String BUCKET = "traces";

  private final Path directory;
  private final Path bucket;
  private final int port = FreePort.find();
  private Process process;

  /** An empty one, which is not started yet. */
  public S3Store(Path directory) throws IOException {
    this.directory = Files.createDirectories(directory);
    this.bucket = Files.createDirectories(directory.resolve("bucket"));
  }

  /** What a gateway must know to write objects there. */
  public void addTo(Otelcol gateway) {
    gateway
        .environment("AWS_ACCESS_KEY_ID", "any")
        .environment("AWS_SECRET_ACCESS_KEY", "any")
        .environment("S3_BUCKET", BUCKET)
        .environment("S3_ENDPOINT", "http://127.0.0.1:" + port)
        .environment("S3_FORCE_PATH_STYLE", "true");
  }

  /** Starts it, with the objects that it has. */
  public S3Store start() throws Exception {
    Path log = Files.createTempFile(directory, "s3", ".log");
    String program = Engines.folder("s3", "version").resolve("gofakes3").toString();
    process =
        Launched.clean(
                new ProcessBuilder(
                    program,
                    "-host=127.0.0.1:" + port,
                    "-backend=directfs",
                    "-directfs.path=" + bucket,
                    "-directfs.bucket=" + BUCKET,
                    "-directfs.meta=" + directory.resolve("meta"),
                    "-directfs.create"))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    Patience.until(
        () -> "the store listens: " + Files.readString(log), process.toHandle(), this::listens);
    return this;
  }

  private boolean listens() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  /** Puts the objects into a folder, under names that readers of files take. */
  public void fetchTo(Path folder) throws IOException {
    List<Path> objects;
    try (Stream<Path> files = Files.walk(bucket)) {
      objects = files.filter(file -> file.toString().endsWith(".json.gz")).toList();
    }
    Files.createDirectories(folder);
    for (Path object : objects) {
      String name = object.getFileName().toString();
      Path link =
          folder.resolve(name.substring(0, name.length() - ".json.gz".length()) + ".jsonl.gz");
      if (!Files.exists(link)) {
        Files.createLink(link, object);
      }
    }
  }

  /** Kills it with SIGKILL. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() {
    if (process != null) {
      process.destroyForcibly();
    }
  }
}
