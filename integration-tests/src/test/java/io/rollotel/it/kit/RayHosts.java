package io.rollotel.it.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A real Ray of two hosts on one machine: two nodes, each with a network and a host name of its
 * own, joined by a virtual cable. The second does not see what the first writes. All of it ends
 * with its processes. Takes root and {@code ip}.
 */
public final class RayHosts implements AutoCloseable {

  /** The Ray resource that only the second host has. */
  public static final String SECOND = "second";

  private static final String HEAD = "head";
  private static final String ADDRESSES = "10.77.0.";
  private static final int PORT = 6379;

  private final Path folder = Files.createTempDirectory("ray").toRealPath();
  private final List<Process> processes = new ArrayList<>();
  private final long head;
  private final long second;

  private RayHosts(Path hidden) throws Exception {
    boolean isComplete = false;
    try {
      head = host(HEAD);
      second = host(SECOND);
      link();
      Path ray = Files.createDirectory(folder.resolve("r"));
      for (Path own : List.of(ray, hidden)) {
        run(in(second, "--mount"), "mount", "-t", "tmpfs", "none", own.toString());
      }
      node(
          HEAD,
          in(head),
          "--head",
          "--node-ip-address=" + ADDRESSES + 1,
          "--port=" + PORT,
          "--num-cpus=1",
          "--include-dashboard=false",
          "--temp-dir=" + ray);
      node(
          SECOND,
          in(second, "--mount"),
          "--address=" + address(),
          "--node-ip-address=" + ADDRESSES + 2,
          "--num-cpus=3",
          "--resources={\"" + SECOND + "\": 9}");
      isComplete = true;
    } finally {
      if (!isComplete) {
        close();
      }
    }
  }

  /**
   * Starts both; answers when they can be used.
   *
   * @param hidden what the second host has a folder of its own of
   */
  public static RayHosts start(Path hidden) throws Exception {
    return new RayHosts(hidden);
  }

  public String address() {
    return ADDRESSES + 1 + ":" + PORT;
  }

  /** The command that starts a program on the first host. */
  public List<String> head() {
    return in(head);
  }

  /** The agent's log lines in workers of the second host. */
  public List<String> saidOnSecond() throws Exception {
    String logs = folder.resolve("r") + "/session_latest/logs/";
    String said =
        run(in(second, "--mount"), "sh", "-c", "grep -h roll-otel " + logs + "*.err || true");
    return said.lines().toList();
  }

  /** A process that holds a host's network and name as long as it lives. */
  private long host(String name) throws Exception {
    String command = "hostname " + name + " && ip link set lo up && exec sleep 100000";
    Path said = folder.resolve(name + "-host.txt");
    ProcessBuilder builder =
        new ProcessBuilder("unshare", "--net", "--uts", "--mount", "sh", "-c", command);
    Process process = builder.redirectErrorStream(true).redirectOutput(said.toFile()).start();
    processes.add(process);
    Patience.until(
        () -> "root has a network of its own, by Debian's iproute2: " + Files.readString(said),
        process.toHandle(),
        () -> process.info().command().orElse("").endsWith("sleep"));
    return process.pid();
  }

  private void link() throws Exception {
    String name = "rollotel";
    run(
        List.of(),
        Stream.of("ip link add NAME netns " + head + " type veth peer name NAME netns " + second)
            .flatMap(line -> Stream.of(line.replace("NAME", name).split(" ")))
            .toArray(String[]::new));
    for (int i = 1; i <= 2; i++) {
      List<String> in = in(i == 1 ? head : second);
      run(in, "ip", "address", "add", ADDRESSES + i + "/24", "dev", name);
      run(in, "ip", "link", "set", name, "up");
    }
  }

  private void node(String name, List<String> in, String... options) throws Exception {
    Path said = folder.resolve(name + ".txt");
    List<String> command = new ArrayList<>(in);
    command.add(RayCluster.engine().resolve("python/bin/ray").toString());
    command.addAll(List.of("start", "--block", "--disable-usage-stats"));
    command.add("--object-store-memory=150000000");
    command.addAll(List.of(options));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile());
    RayCluster.clean(builder);
    Process process = builder.start();
    processes.add(process);
    Patience.until(
        () -> "Ray has started: " + Files.readString(said),
        process.toHandle(),
        () -> Files.readString(said).contains("Ray runtime started."));
  }

  private static List<String> in(long host, String... more) {
    List<String> command =
        new ArrayList<>(List.of("nsenter", "--target", Long.toString(host), "--net", "--uts"));
    command.addAll(List.of(more));
    return command;
  }

  private static String run(List<String> in, String... command) throws Exception {
    List<String> all = new ArrayList<>(in);
    all.addAll(List.of(command));
    Finished finished = Finished.of(new ProcessBuilder(all));
    assertThat(finished.exitCode()).as("%s", finished).isZero();
    return finished.out();
  }

  @Override
  public void close() throws IOException {
    for (int i = processes.size() - 1; i >= 0; i--) {
      RayCluster.end(processes.get(i));
    }
    RayCluster.delete(folder);
  }
}
