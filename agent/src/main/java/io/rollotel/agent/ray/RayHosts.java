package io.rollotel.agent.ray;

import io.rollotel.agent.hook.RayHook;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.settings.Settings;
import io.rollotel.traces.collector.HostFiles;
import io.rollotel.traces.collector.SystemRandom;
import io.rollotel.traces.file.Count;
import io.rollotel.traces.file.RunBytes;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.InvalidPathException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Fetches, at the end of a driver's job, the files that the run's processes have left on the
 * cluster's other hosts: from each host by a task that only its node can execute.
 */
final class RayHosts {

  /**
   * If there are more hosts, only those that had an actor of the job are asked, because a host that
   * executed none of its tasks starts a JVM to answer.
   */
  static final int MOST_ASKED = 16;

  /** Each node has 1 unit of the resource named after it; any fraction is enough. */
  private static final double SHARE = 0.001;

  private static final String SIGNATURE = "(Ljava/lang/String;Ljava/lang/String;)[B";

  private static final String OF_NODE = "node:";

  /**
   * What Ray knows about a node.
   *
   * @param isAlive whether it accepts tasks, by its own resource
   */
  record Node(String id, String address, String host, boolean isAlive) {}

  private final Object runtime;
  private final List<Node> asked;

  private RayHosts(Object runtime, List<Node> asked) {
    this.runtime = runtime;
    this.asked = asked;
  }

  /** The hosts that may have files of this job; null if there is only the driver's. */
  static @Nullable RayHosts of(Object runtime, String ownNodeId)
      throws ReflectiveOperationException {
    Object context = call(runtime, "getRuntimeContext");
    List<Node> all = new ArrayList<>();
    for (Object info : (List<?>) call(context, "getAllNodeInfo")) {
      String address = field(info, "nodeAddress").toString();
      boolean isPinned = ((Map<?, ?>) field(info, "resources")).containsKey(OF_NODE + address);
      all.add(
          new Node(
              field(info, "nodeId").toString(),
              address,
              field(info, "nodeHostname").toString(),
              isPinned && (boolean) field(info, "isAlive")));
    }
    List<Node> others = others(all, ownNodeId);
    if (others.size() > MOST_ASKED) {
      Set<String> ofActors = nodesOfActors(context);
      others = others.stream().filter(node -> ofActors.contains(node.id)).toList();
    }
    return others.isEmpty() ? null : new RayHosts(runtime, others);
  }

  /** One live node of each host, without the driver's. */
  static List<Node> others(List<Node> all, String ownNodeId) {
    Map<String, Node> byAddress = new LinkedHashMap<>();
    for (Node node : all) {
      if (node.isAlive) {
        byAddress.putIfAbsent(node.address, node);
      }
    }
    all.stream()
        .filter(node -> node.id.equals(ownNodeId))
        .forEach(own -> byAddress.remove(own.address));
    return List.copyOf(byAddress.values());
  }

  /** The nodes of the job's actors, including dead ones. */
  private static Set<String> nodesOfActors(Object context) throws ReflectiveOperationException {
    Object jobId = call(context, "getCurrentJobId");
    Class<?> state =
        Class.forName(
            "io.ray.api.runtimecontext.ActorState", false, context.getClass().getClassLoader());
    Method actors = context.getClass().getMethod("getAllActorInfo", jobId.getClass(), state);
    actors.setAccessible(true);
    Set<String> nodes = new HashSet<>();
    for (Object actor : (List<?>) actors.invoke(context, jobId, null)) {
      nodes.add(field(field(actor, "address"), "nodeId").toString());
    }
    return nodes;
  }

  List<Node> asked() {
    return asked;
  }

  /** Asks all of them in parallel, and waits for all together as long as the exit may take. */
  void fetch(String runId, Settings settings, RunBytes runBytes) throws Exception {
    long beganNanos = System.nanoTime();
    long deadlineNanos = beganNanos + TimeUnit.MILLISECONDS.toNanos(settings.fetchTimeoutMillis());
    File outputDir = new File(settings.outputDir()).getAbsoluteFile();
    File traces = new File(outputDir, "traces");
    File mark = new File(traces, ".home-" + SystemRandom.hex(8));
    boolean isNew = traces.mkdirs();
    AgentLog.debug(asked.size() + " other hosts of this Ray job are asked for the run's files");
    try {
      if (!mark.createNewFile()) {
        throw new IOException(mark + " already exists");
      }
      Map<Node, Object> answers = new LinkedHashMap<>();
      for (Node node : asked) {
        answers.put(node, ask(node, runId, mark.getName()));
      }
      for (Map.Entry<Node, Object> answer : answers.entrySet()) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
        take(answer.getKey(), answer.getValue(), Math.max(0, left), outputDir, runBytes);
      }
      long tookMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos);
      AgentLog.debug("the other hosts' answers took " + tookMillis + " ms");
    } finally {
      mark.delete();
      if (isNew && traces.delete()) { // nothing has come
        outputDir.delete();
      }
    }
  }

  /** The agent's jar is on the class path of each worker, and the hook in it. */
  private Object ask(Node node, String runId, String mark) throws ReflectiveOperationException {
    ClassLoader loader = runtime.getClass().getClassLoader();
    String functions = "io.ray.runtime.functionmanager.";
    Object function =
        Class.forName(functions + "JavaFunctionDescriptor", false, loader)
            .getConstructor(String.class, String.class, String.class)
            .newInstance(RayHook.class.getName(), "left", SIGNATURE);
    Class<?> builders = Class.forName("io.ray.api.options.CallOptions$Builder", false, loader);
    Object builder = builders.getConstructor().newInstance();
    builders
        .getMethod("setResource", String.class, Double.class)
        .invoke(builder, OF_NODE + node.address, SHARE);
    Object options = call(builder, "build");
    Method submit =
        Class.forName("io.ray.runtime.AbstractRayRuntime", false, loader)
            .getDeclaredMethod(
                "callNormalFunction",
                Class.forName(functions + "FunctionDescriptor", false, loader),
                Object[].class,
                Optional.class,
                options.getClass());
    submit.setAccessible(true);
    Object[] arguments = {runId, mark};
    return submit.invoke(runtime, function, arguments, Optional.of(byte[].class), options);
  }

  private static void take(
      Node node, Object answer, long patienceMillis, File outputDir, RunBytes runBytes)
      throws ReflectiveOperationException {
    byte[] packed;
    try {
      Method get = answer.getClass().getMethod("get", long.class);
      get.setAccessible(true);
      packed = (byte[]) get.invoke(answer, patienceMillis);
    } catch (InvocationTargetException e) {
      AgentLog.warn(
          "host "
              + node.host
              + " has not answered; files of this run may remain there in "
              + outputDir
              + ": "
              + e.getCause());
      return;
    }
    if (packed == null || packed.length == 0) {
      return;
    }
    try {
      HostFiles.Unpacked came = HostFiles.unpack(packed, outputDir.toPath(), runBytes);
      AgentLog.info(
          Count.text(came.files(), "file") + " of the run arrived from host " + node.host);
      if (came.leftFiles() > 0) {
        AgentLog.warn(
            "files of the run remain on host "
                + node.host
                + " in "
                + came.folder()
                + ", because they are too large to transfer through Ray: "
                + Count.text(came.leftFiles(), "file")
                + " with "
                + RunBytes.size(came.leftBytes()));
      }
    } catch (IOException | InvalidPathException e) { // a name may not fit this host's locale
      AgentLog.warn("files of the run remain on host " + node.host + ": " + e.getMessage());
    }
  }

  private static Object call(Object object, String method) throws ReflectiveOperationException {
    Method called = object.getClass().getMethod(method);
    called.setAccessible(true);
    return called.invoke(object);
  }

  private static Object field(Object object, String name) throws ReflectiveOperationException {
    return object.getClass().getField(name).get(object);
  }
}
