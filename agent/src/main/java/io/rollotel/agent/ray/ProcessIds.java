package io.rollotel.agent.ray;

/**
 * The ids that a process of a cluster keeps, asked once: each costs a call into Ray's native code.
 * In LOCAL mode, where one process plays all parts, they are asked each time.
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
