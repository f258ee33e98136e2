package io.rollotel.agent.ray;

import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.weave.BodyChange;
import io.rollotel.agent.weave.ClassRewriter;
import io.rollotel.agent.weave.MethodPlace;
import java.util.List;
import net.bytebuddy.jar.asm.ClassReader;
import org.jspecify.annotations.Nullable;

/**
 * Weaves the few classes of Ray's runtime through which calls go. For each place that a version of
 * Ray lacks, the agent prints one line and weaves the rest.
 */
final class RayWeaver {

  private static final String PACKAGE = "io.ray.runtime.";
  private static final String RUNTIME = PACKAGE + "AbstractRayRuntime";
  private static final String EXECUTOR = PACKAGE + "task.TaskExecutor";
  private static final String STORE = PACKAGE + "object.ObjectStore";

  private static final String FUNCTION = "Lio/ray/runtime/functionmanager/FunctionDescriptor;";
  private static final String ACTOR = "Lio/ray/api/BaseActorHandle;";
  private static final String REF = "Lio/ray/api/ObjectRef;";
  private static final String LIST = "Ljava/util/List;";
  private static final String OPTIONAL = "Ljava/util/Optional;";
  private static final String ANY = "(..)";

  private static final BodyChange END = RayBodies.Ending::new;

  private static final List<MethodPlace> PLACES =
      List.of(
          new MethodPlace(
              RUNTIME,
              "callNormalFunction",
              "(" + FUNCTION + "*" + OPTIONAL + "..)" + REF,
              (body, method) -> new RayBodies.Sending(body, method, 0, -1, 2)),
          new MethodPlace(
              RUNTIME,
              "callActorFunction",
              "(" + ACTOR + FUNCTION + "*" + OPTIONAL + "..)" + REF,
              (body, method) -> new RayBodies.Sending(body, method, 1, 0, 3)),
          new MethodPlace(
              RUNTIME,
              "createActorImpl",
              "(" + FUNCTION + "..)" + ACTOR,
              (body, method) -> new RayBodies.Sending(body, method, 0, -1, -1)),
          new MethodPlace(RUNTIME, "get", "(" + LIST + "J)", RayBodies.Using::new),
          new MethodPlace(RUNTIME, "wait", "(" + LIST + "***)", RayBodies.Using::new),
          new MethodPlace(RUNTIME, "put", ANY, RayBodies.Using::new),
          new MethodPlace(
              PACKAGE + "task.LocalModeTaskSubmitter",
              "submitTaskSpec",
              "(Lio/ray/runtime/generated/Common$TaskSpec;..)",
              RayBodies.Submitting::new),
          new MethodPlace(EXECUTOR, "execute", "(" + LIST + LIST + ")", RayBodies.Executing::new),
          new MethodPlace(EXECUTOR, "execute", "(" + LIST + LIST + ")", RayPhases::new),
          new MethodPlace(PACKAGE + "task.ArgumentsBuilder", "wrap", ANY, RayBodies.Carrying::new),
          new MethodPlace(STORE, "get", ANY, RayBodies.Storing::new),
          new MethodPlace(STORE, "put", ANY, RayBodies.Storing::new),
          new MethodPlace(
              PACKAGE + "config.RayConfig", "<init>", "(*)", RayBodies.Configuring::new),
          new MethodPlace(
              PACKAGE + "gcs.GcsClient",
              "getNodeToConnectForDriver",
              "(Ljava/lang/String;)",
              RayBodies.Connecting::new),
          new MethodPlace(PACKAGE + "RayNativeRuntime", "killActor", ANY, END),
          new MethodPlace(PACKAGE + "RayNativeRuntime", "shutdown", ANY, END));

  private RayWeaver() {}

  /** The new bytes of one of Ray's classes; null if it does not change. */
  static byte @Nullable [] weave(byte[] bytes, List<MethodPlace> places) {
    ClassRewriter woven = ClassRewriter.rewrite(new ClassReader(bytes), places);
    for (MethodPlace missing : woven.missing()) {
      AgentLog.warn(
          "this version of Ray has no "
              + missing.className()
              + " as the agent knows it: some of Ray's calls have no span");
    }
    return woven.bytes();
  }

  /** What is woven in a class; empty for nearly all of them. */
  static List<MethodPlace> places(String className) {
    return MethodPlace.ofClass(className, PLACES);
  }
}
