package io.rollotel.it.kit;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A real Ray of one node on the loopback address, with a folder of its own. Its processes are ended
 * by their ids: {@code ray stop} would end those of others as well.
 */
public final class RayCluster implements AutoCloseable {

  private final Path engine;
  private final Path folder;
  private final int port;
  private final Process process;

  private RayCluster(Path engine, Path folder, int port, Process process) {
    this.engine = engine;
    this.folder = folder;
    this.port = port;
    this.process = process;
  }

  /** Starts one whose Java workers run on the JDK of this test; answers when it can be used. */
  public static RayCluster start() throws Exception {
    return start(Map.of(), List.of("--include-dashboard=false"));
  }

  /** The same with a further environment and options. */
  public static RayCluster start(Map<String, String> environment, List<String> options)
      throws Exception {
    Path engine = engine();
    // Not the test's folder: the paths of Ray's sockets must be short.
    Path folder = Files.createTempDirectory("ray").toRealPath();
    int port = freePort();
    Path said = folder.resolve("start.txt");
    ProcessBuilder builder =
        new ProcessBuilder(
                engine.resolve("python/bin/ray").toString(),
                "start",
                "--head",
                "--block",
                "--node-ip-address=127.0.0.1",
                "--port=" + port,
                "--num-cpus=4",
                "--disable-usage-stats",
                "--object-store-memory=150000000",
                "--temp-dir=" + folder.resolve("r"))
            .redirectErrorStream(true)
            .redirectOutput(said.toFile());
    builder.command().addAll(options);
    clean(builder).environment().putAll(environment);
    RayCluster cluster = new RayCluster(engine, folder, port, builder.start());
    try {
      Patience.until(
          () -> "Ray has started: " + Files.readString(said),
          cluster.process.toHandle(),
          () -> Files.readString(said).contains("Ray runtime started."));
    } catch (Exception | AssertionError e) {
      cluster.close();
      throw e;
    }
    return cluster;
  }

  /**
   * Removes variables that would enable tracing, and puts this test's JDK first. A token in the
   * user's home turns on authentication, for which Java drivers then need a setting.
   */
  public static ProcessBuilder clean(ProcessBuilder builder) {
    Map<String, String> environment = Launched.clean(builder).environment();
    environment.merge(
        "PATH", System.getProperty("java.home") + "/bin", (path, java) -> java + ":" + path);
    environment.put("RAY_AUTH_MODE", "disabled");
    return builder;
  }

  public String address() {
    return "127.0.0.1:" + port;
  }

  /** The engine folder of the Ray that is tested: {@code ray}, or {@code ray-newest}. */
  public static Path engine() throws IOException {
    String engine = System.getProperty("ray.engine", "ray");
    return Engines.python(
        engine, ProgramRun.ROOT.resolve("engines/" + engine + "-requirements.txt"));
  }

  /** Ray's jars. */
  public static List<Path> jars() throws IOException {
    try (Stream<Path> jars = Files.list(engine().resolve("target/lib"))) {
      return jars.sorted().toList();
    }
  }

  public Path python() {
    return engine.resolve("python/bin/python");
  }

  /** The output of Ray's processes and workers. */
  public String logs() throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.walk(folder.resolve("r"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String name = file.getFileName().toString();
        if (name.endsWith(".err") || name.startsWith("java-worker")) {
          all.append(Files.readString(file));
        }
      }
    }
    return all.toString();
  }

  private static int freePort() throws IOException {
    // Above the ports that Ray gives to its workers. Two Rays that start at once can both bind the
    // same port.
    int first = (int) (ProcessHandle.current().pid() % 9_000);
    for (int i = 0; i < 9_000; i += 97) {
      try (ServerSocket free = new ServerSocket(20_100 + (first + i) % 9_000)) {
        return free.getLocalPort();
      } catch (IOException taken) {
        // the next
      }
    }
    throw new IOException("no free port");
  }

  @Override
  public void close() throws IOException {
    end(process);
    delete(folder);
  }

  /** Ends it and all that it has started. */
  static void end(Process process) {
    List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
    process.destroy();
    try {
      process.waitFor(10, TimeUnit.SECONDS); // then it is killed
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
    all.forEach(ProcessHandle::destroyForcibly);
    all.forEach(handle -> handle.onExit().orTimeout(Patience.MINUTES, TimeUnit.MINUTES).join());
  }

  /**
   * Each driver leaves 30 MB in a folder of a common directory, wherever the cluster's own is.
   * Deletes those that were created since then.
   */
  public static void deleteLibraries(long sinceEpochMillis) throws IOException {
    Path common = Path.of("/tmp/ray");
    if (!Files.isDirectory(common)) {
      return;
    }
    List<Path> left = new ArrayList<>();
    try (Stream<Path> folders = Files.list(common)) {
      for (Path one : folders.toList()) {
        if (one.getFileName().toString().matches("\\d{13}|session_local_mode_.*")
            && Files.getLastModifiedTime(one).toMillis() >= sinceEpochMillis) {
          left.add(one);
        }
      }
    }
    for (Path one : left) {
      delete(one);
    }
  }

  static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
