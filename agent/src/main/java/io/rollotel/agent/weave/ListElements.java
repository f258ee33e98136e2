package io.rollotel.agent.weave;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.signature.SignatureReader;
import net.bytebuddy.jar.asm.signature.SignatureVisitor;
import org.jspecify.annotations.Nullable;

/**
 * The declared element type of a list parameter, erased as by the compiler: a type variable becomes
 * its first bound, which an enclosing class or method may declare.
 */
final class ListElements {

  private static final String OBJECT = "java/lang/Object";

  /** A class file may be malformed: for example, a variable may be bounded by itself. */
  private static final int MOST_STEPS = 100;

  private ListElements() {}

  /** The internal name of the elements' class; null if it is no list of a class's objects. */
  static @Nullable String of(ClassFile file, DeclaredMethod method, int parameter) {
    String signature = method.signature;
    if (signature == null
        || !method.parameters[parameter].getDescriptor().equals("Ljava/util/List;")) {
      return null;
    }
    try {
      return held(file, method, signature, parameter);
    } catch (RuntimeException malformed) {
      return null; // the JVM ignores signatures, so the method works
    }
  }

  private static @Nullable String held(
      ClassFile file, DeclaredMethod method, String signature, int parameter) {
    Declaration declaration = new Declaration(signature);
    if (declaration.parameters.size() != method.parameters.length) {
      return null;
    }
    Term element = declaration.parameters.get(parameter).argument;
    for (int step = 0; element != null && element.isVariable; step++) {
      element = step < MOST_STEPS ? bound(element.name, declaration, file) : null;
    }
    return element == null || element.isNoClass ? null : element.name;
  }

  /** Looks in the method, in its class, and in the enclosing ones. */
  private static @Nullable Term bound(String variable, Declaration ofMethod, ClassFile file) {
    Term found = ofMethod.bounds.get(variable);
    ClassFile in = file;
    for (int depth = 0; found == null && in != null && depth < MOST_STEPS; depth++) {
      found = bound(variable, in.signature());
      ClassFile around = found == null ? in.around() : null;
      if (around != null && in.methodAround() != null) {
        for (DeclaredMethod method : around.methods()) {
          if ((method.name + method.descriptor).equals(in.methodAround())) {
            found = bound(variable, method.signature);
          }
        }
      }
      in = around;
    }
    return found;
  }

  private static @Nullable Term bound(String variable, @Nullable String signature) {
    return signature == null ? null : new Declaration(signature).bounds.get(variable);
  }

  /** The signature of a class or of a method. */
  private static final class Declaration extends SignatureVisitor {

    final Map<String, Term> bounds = new HashMap<>();
    final List<Term> parameters = new ArrayList<>();
    private String variable = "";

    Declaration(String signature) {
      super(Opcodes.ASM9);
      new SignatureReader(signature).accept(this);
    }

    @Override
    public void visitFormalTypeParameter(String name) {
      variable = name;
    }

    @Override
    public SignatureVisitor visitClassBound() {
      Term bound = new Term();
      bounds.putIfAbsent(variable, bound);
      return bound;
    }

    @Override
    public SignatureVisitor visitInterfaceBound() {
      return visitClassBound();
    }

    @Override
    public SignatureVisitor visitParameterType() {
      Term type = new Term();
      parameters.add(type);
      return type;
    }

    @Override
    public SignatureVisitor visitReturnType() {
      return new Term();
    }

    @Override
    public SignatureVisitor visitExceptionType() {
      return new Term();
    }

    @Override
    public SignatureVisitor visitSuperclass() {
      return new Term();
    }

    @Override
    public SignatureVisitor visitInterface() {
      return new Term();
    }
  }

  /** A type in a signature: a class, a variable, or neither. */
  private static final class Term extends SignatureVisitor {

    String name = OBJECT;
    boolean isVariable;
    boolean isNoClass;

    /** Its last type argument. */
    @Nullable Term argument;

    Term() {
      super(Opcodes.ASM9);
    }

    @Override
    public void visitBaseType(char descriptor) {
      isNoClass = true;
    }

    @Override
    public SignatureVisitor visitArrayType() {
      isNoClass = true;
      return new Term();
    }

    @Override
    public void visitTypeVariable(String variable) {
      name = variable;
      isVariable = true;
    }

    @Override
    public void visitClassType(String className) {
      name = className;
    }

    @Override
    public void visitInnerClassType(String simpleName) {
      name += "$" + simpleName;
    }

    @Override
    public void visitTypeArgument() {
      argument = new Term();
    }

    @Override
    public SignatureVisitor visitTypeArgument(char wildcard) {
      Term given = new Term();
      argument = wildcard == SUPER ? new Term() : given;
      return given;
    }
  }
}
