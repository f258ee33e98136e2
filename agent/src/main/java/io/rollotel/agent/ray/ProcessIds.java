package io.rollotel.agent.ray;

/**
 * The ids of a process of a cluster, read once, because each costs a call into Ray's native code.
 * In LOCAL mode, one process has all roles, so they are read each time.
 *
 * @param nodeId empty in LOCAL mode
 */
record ProcessIds(String nodeId, String jobId, String workerId) {

  static ProcessIds of(RayRuntime ray, Object runtime) throws Throwable {
    String node;
    try {
      node = ray.nodeId(runtime);
    } catch (RuntimeException local) {
      return new ProcessIds("", "", "");
    }
    Object context = ray.context(runtime);
    return new ProcessIds(node, ray.jobId(context), ray.workerId(context));
  }

  String jobId(RayRuntime ray, Object runtime) throws Throwable {
    return nodeId.isEmpty() ? ray.jobId(ray.context(runtime)) : jobId;
  }

  String workerId(RayRuntime ray, Object runtime) throws Throwable {
    return nodeId.isEmpty() ? ray.workerId(ray.context(runtime)) : workerId;
  }
}
