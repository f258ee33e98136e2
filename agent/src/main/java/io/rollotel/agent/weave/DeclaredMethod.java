package io.rollotel.agent.weave;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.bytebuddy.jar.asm.AnnotationVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import org.jspecify.annotations.Nullable;

/**
 * The facts of one method that weaving needs, collected while the class file is read. Annotations
 * are known by name, since the application's copy of them is not the agent's.
 */
final class DeclaredMethod extends MethodVisitor {

  private static final String ANNOTATIONS = "Lio/rollotel/annotations/";
  private static final String REGISTER = ANNOTATIONS + "Register;";
  private static final String DISPATCH = ANNOTATIONS + "Dispatch;";
  private static final String PHASE = ANNOTATIONS + "Phase;";
  private static final String META_INFO = ANNOTATIONS + "MetaInfo;";
  private static final String SPAN_ATTRIBUTE = ANNOTATIONS + "SpanAttribute;";
  private static final int NO_BODY =
      Opcodes.ACC_BRIDGE | Opcodes.ACC_SYNTHETIC | Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE;

  final int access;
  final String name;
  final String descriptor;
  final @Nullable String signature;
  final Type[] parameters;

  private @Nullable Values register;
  private @Nullable Values phase;
  private boolean dispatch;
  private final boolean[] metaInfo;
  private final @Nullable Values[] attributes;

  /** How many leading parameters have no annotations: compilers add some. */
  private int unannotated;

  private int maxLocals;
  private int returns;

  /**
   * @param next visits the body as well
   */
  DeclaredMethod(
      int access,
      String name,
      String descriptor,
      @Nullable String signature,
      @Nullable MethodVisitor next) {
    super(Opcodes.ASM9, next);
    this.access = access;
    this.name = name;
    this.descriptor = descriptor;
    this.signature = signature;
    parameters = Type.getArgumentTypes(descriptor);
    metaInfo = new boolean[parameters.length];
    attributes = new Values[parameters.length];
  }

  boolean isStatic() {
    return (access & Opcodes.ACC_STATIC) != 0;
  }

  /**
   * Bridges have copies of their target's annotations: if they were woven as well, one call would
   * have two spans. Methods without a body have nothing to weave.
   */
  boolean isWeavable() {
    return (access & NO_BODY) == 0 && !name.startsWith("<");
  }

  boolean isRegister() {
    return register != null && isWeavable();
  }

  boolean isDispatch() {
    return dispatch && isWeavable();
  }

  /** A method that is also a worker method is woven only as a worker method. */
  boolean isPhase() {
    return phase != null && register == null && isWeavable();
  }

  /** {@code Phase.value}, as spans name it. */
  String phase() {
    return phase == null ? "" : ((String) phase.of("value", "PREFETCH")).toLowerCase(Locale.ROOT);
  }

  boolean isAnnotated() {
    return isRegister() || isDispatch() || isPhase();
  }

  /** {@code Register.trace}; a method that the list names is traced. */
  boolean traced() {
    return register == null || (Boolean) register.of("trace", false);
  }

  /** {@code Register.name}; blank if none was given. */
  String spanName() {
    return register == null ? "" : (String) register.of("name", "");
  }

  String kind() {
    return register == null ? "INTERNAL" : (String) register.of("kind", "INTERNAL");
  }

  /** The names of the exceptions that are no errors. */
  List<String> expected() {
    List<String> names = new ArrayList<>();
    if (register != null) {
      for (Object type : (List<?>) register.of("expected", List.of())) {
        names.add(((Type) type).getClassName());
      }
    }
    return names;
  }

  /** Whether the agent itself calls it, to read a payload's context. */
  boolean isMetaInfoGetter() {
    return parameters.length == 0
        && WovenMethod.META_INFO_GETTERS.contains(name)
        && Type.getReturnType(descriptor).getClassName().endsWith("Map");
  }

  boolean isMetaInfo(int parameter) {
    return metaInfo[parameter];
  }

  /** The key of the attribute that the argument becomes; null if it becomes none. */
  @Nullable String attribute(int parameter) {
    Values attribute = attributes[parameter];
    return attribute == null ? null : (String) attribute.of("value", "");
  }

  /** The first variable that the body does not use. */
  int maxLocals() {
    return maxLocals;
  }

  /** The number of places where the body returns. */
  int returns() {
    return returns;
  }

  @Override
  public @Nullable AnnotationVisitor visitAnnotation(String type, boolean visible) {
    if (type.equals(REGISTER)) {
      register = new Values();
      return register;
    }
    if (type.equals(PHASE)) {
      phase = new Values();
      return phase;
    }
    dispatch |= type.equals(DISPATCH);
    return null;
  }

  @Override
  public void visitAnnotableParameterCount(int count, boolean visible) {
    unannotated = parameters.length - count;
  }

  @Override
  public @Nullable AnnotationVisitor visitParameterAnnotation(
      int index, String type, boolean visible) {
    int parameter = index + unannotated;
    if (parameter < 0 || parameter >= parameters.length) {
      return null;
    }
    metaInfo[parameter] |= type.equals(META_INFO);
    if (!type.equals(SPAN_ATTRIBUTE)) {
      return null;
    }
    Values values = new Values();
    attributes[parameter] = values;
    return values;
  }

  @Override
  public void visitInsn(int opcode) {
    if (BodyEdges.returns(opcode)) {
      returns++;
    }
    super.visitInsn(opcode);
  }

  @Override
  public void visitMaxs(int maxStack, int maxLocals) {
    this.maxLocals = maxLocals;
    super.visitMaxs(maxStack, maxLocals);
  }

  /** The values of an annotation: enum constants by their names. */
  private static final class Values extends AnnotationVisitor {

    private final Map<String, Object> given = new HashMap<>();

    Values() {
      super(Opcodes.ASM9);
    }

    Object of(String name, Object byDefault) {
      return given.getOrDefault(name, byDefault);
    }

    @Override
    public void visit(String name, Object value) {
      given.put(name, value);
    }

    @Override
    public void visitEnum(String name, String type, String value) {
      given.put(name, value);
    }

    @Override
    public AnnotationVisitor visitArray(String name) {
      List<Object> elements = new ArrayList<>();
      given.put(name, elements);
      return new AnnotationVisitor(Opcodes.ASM9) {
        @Override
        public void visit(@Nullable String none, Object value) {
          elements.add(value);
        }
      };
    }
  }
}
