package io.rollotel.agent.correlation;

import io.rollotel.agent.weave.AroundBody;
import io.rollotel.agent.weave.BodyEdges;
import io.rollotel.agent.weave.MethodHead;
import io.rollotel.agent.weave.MethodPlace;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/** The bodies of the methods that {@link LogEventTransformer} weaves. */
final class LogBodies {

  private static final String HOOK = "io/rollotel/agent/hook/LogHook";
  private static final String MAP = "Ljava/util/Map;";

  private LogBodies() {}

  static MethodPlace place(String className, boolean isLogback) {
    return isLogback
        ? new MethodPlace(className, "getMDCPropertyMap", "()" + MAP, Logback::new)
        : new MethodPlace(
            className, "injectContextData", Log4j.DESCRIPTOR, (body, method) -> new Log4j(body));
  }

  /**
   * Logback's {@code LoggingEvent.getMDCPropertyMap}. The first call adds the current span's ids to
   * the event. It happens on the logging thread, or in the code that prepares the event for another
   * thread. The event's field is still null then; later calls change nothing.
   */
  static final class Logback extends AroundBody {

    private static final String KEPT = "mdcPropertyMap";

    private final String className;

    Logback(MethodVisitor body, MethodHead method) {
      super(body, method, 2);
      className = method.className();
      if (!method.field(KEPT).equals(MAP)) {
        throw new IllegalStateException(KEPT + " is " + method.field(KEPT));
      }
    }

    @Override
    protected void start() {
      mv.visitVarInsn(Opcodes.ALOAD, 0);
      mv.visitFieldInsn(Opcodes.GETFIELD, className, KEPT, MAP);
    }

    @Override
    protected void beforeReturn() {
      Label known = new Label();
      loadKept();
      mv.visitJumpInsn(Opcodes.IFNONNULL, known);
      call(HOOK, "withTrace", "(Ljava/util/Map;)Ljava/util/Map;");
      mv.visitInsn(Opcodes.DUP);
      mv.visitVarInsn(Opcodes.ALOAD, 0);
      mv.visitInsn(Opcodes.SWAP);
      mv.visitFieldInsn(Opcodes.PUTFIELD, className, KEPT, MAP);
      visitLabel(known, "java/util/Map");
    }

    @Override
    protected void beforeThrow() {}
  }

  /**
   * Log4j's {@code injectContextData}, which fills an event's context data on the thread that logs.
   * The hook does not know Log4j's types, so the instruction is linked once, through the lookup of
   * Log4j's own class.
   */
  static final class Log4j extends BodyEdges {

    private static final String TYPE = "Lorg/apache/logging/log4j/util/StringMap;";

    private static final String DESCRIPTOR = "(Ljava/util/List;" + TYPE + ")" + TYPE;

    private static final String BOOTSTRAP =
        "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;)"
            + "Ljava/lang/invoke/CallSite;";

    Log4j(MethodVisitor body) {
      super(body, 0);
    }

    @Override
    protected void beforeReturn() {
      mv.visitInvokeDynamicInsn(
          "withTrace",
          "(" + TYPE + ")" + TYPE,
          new Handle(
              Opcodes.H_INVOKESTATIC,
              "io/rollotel/agent/hook/Log4jHook",
              "link",
              BOOTSTRAP,
              false));
    }
  }
}
