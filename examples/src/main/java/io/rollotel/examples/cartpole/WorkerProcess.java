package io.rollotel.examples.cartpole;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.charset.Charset;
import java.rmi.NotBoundException;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One worker JVM, from its start to its exit. */
final class WorkerProcess {
  private static final long START_TIMEOUT_SECONDS = 60;
  private static final long EXIT_TIMEOUT_SECONDS = 15;

  private final String name;
  private final Process process;
  private final CompletableFuture<Integer> port = new CompletableFuture<>();

  private WorkerProcess(String name, Process process) {
    this.name = name;
    this.process = process;
  }

  /** Starts a JVM like this one: the same java, class path and environment. */
  static WorkerProcess start(String clusterName, int rank, Options options) throws IOException {
    String host = InetAddress.getLoopbackAddress().getHostAddress();
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    command.addAll(Options.workerJvmOptions());
    command.addAll(Slowness.jvmOptions(options.slowness(rank)));
    // Remote objects name the host to call back: without this one it is the machine's own name.
    command.add("-Djava.rmi.server.hostname=" + host);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(WorkerMain.class.getName());

    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("CLUSTER_NAME", clusterName);
    builder.environment().put("RANK", Integer.toString(rank));
    builder.environment().put("WORLD_SIZE", Integer.toString(options.workers()));
    builder.environment().put("ROLLOUT_THREADS", Integer.toString(options.threads()));
    builder.environment().put("SLOWNESS", options.slowness(rank));

    WorkerProcess worker = new WorkerProcess(clusterName + "-" + rank, builder.start());
    Thread reader = new Thread(worker::readOutput, worker.name + "-output");
    reader.setDaemon(true);
    reader.start();
    return worker;
  }

  String name() {
    return name;
  }

  /** The worker's remote object, as soon as the process has exported it. */
  Worker awaitReady() throws InterruptedException {
    try {
      int registryPort = port.get(START_TIMEOUT_SECONDS, TimeUnit.SECONDS);
      String host = InetAddress.getLoopbackAddress().getHostAddress();
      return (Worker) LocateRegistry.getRegistry(host, registryPort).lookup(WorkerMain.BINDING);
    } catch (TimeoutException e) {
      throw new IllegalStateException(
          name + " was not ready within " + START_TIMEOUT_SECONDS + " s", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(name + " was never ready: " + messageOfCause(e), e);
    } catch (RemoteException | NotBoundException e) {
      throw new IllegalStateException(name + " did not start: " + e.getMessage(), e);
    }
  }

  private static @Nullable String messageOfCause(ExecutionException e) {
    Throwable cause = e.getCause();
    return cause == null ? e.getMessage() : cause.getMessage();
  }

  /** How the process ended, if it did; one that is just dying is given a moment. */
  Optional<String> obituary() {
    try {
      if (!process.waitFor(200, TimeUnit.MILLISECONDS)) {
        return Optional.empty();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
    return Optional.of(
        "worker %s (pid %d) exited with code %d"
            .formatted(name, process.pid(), process.exitValue()));
  }

  /** Waits for the process, which has been told to end, and kills it if it does not. */
  void awaitExit() {
    try {
      if (process.waitFor(EXIT_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
      System.err.println("worker " + name + " does not end: killed");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }

  /** Ends the process without asking the worker. */
  void destroy() {
    process.destroy();
  }

  /** Finds the port in what the worker prints; whatever else it prints is passed on. */
  private void readOutput() {
    try (BufferedReader output = process.inputReader(Charset.defaultCharset())) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.startsWith(WorkerMain.READY)) {
          port.complete(Integer.valueOf(line.substring(WorkerMain.READY.length())));
        } else {
          System.out.println(line);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      port.completeExceptionally(
          new IllegalStateException(obituary().orElse("it closed its output")));
    }
  }
}
