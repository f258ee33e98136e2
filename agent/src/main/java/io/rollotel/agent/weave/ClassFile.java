package io.rollotel.agent.weave;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import net.bytebuddy.jar.asm.Attribute;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.jspecify.annotations.Nullable;

/** The facts of a class file that weaving needs, read in one pass. */
final class ClassFile extends ClassVisitor {

  /**
   * How many superclasses are looked at. A bound, because a malformed class may name itself as its
   * superclass.
   */
  private static final int MOST_ABOVE = 20;

  private final ClassLoader loader;
  private final ClassReader reader;
  private final List<DeclaredMethod> methods = new ArrayList<>();
  private final Forwarders forwarders;
  private @Nullable String signature;
  private @Nullable String above;
  private @Nullable String outer;
  private @Nullable String outerMethod;

  /**
   * @param loader the loader of the enclosing classes
   */
  ClassFile(ClassLoader loader, byte[] bytes) {
    super(Opcodes.ASM9);
    this.loader = loader;
    reader = new ClassReader(bytes);
    forwarders = new Forwarders(reader.getClassName());
    reader.accept(this, ClassReader.SKIP_FRAMES);
  }

  ClassReader reader() {
    return reader;
  }

  String internalName() {
    return reader.getClassName();
  }

  /** As in {@link Class#getName()}. */
  String name() {
    return reader.getClassName().replace('/', '.');
  }

  List<DeclaredMethod> methods() {
    return methods;
  }

  Forwarders forwarders() {
    return forwarders;
  }

  /** Its generic signature; null if nothing in it is generic. */
  @Nullable String signature() {
    return signature;
  }

  boolean isOlderThan(int opcodesVersion) {
    return reader.readUnsignedShort(6) < opcodesVersion; // the major version
  }

  /** The enclosing class; null if there is none, or it cannot be read. */
  @Nullable ClassFile around() {
    if (outer == null) {
      return null;
    }
    return other(outer);
  }

  /**
   * Whether it extends one of these classes of the JDK, directly or indirectly, as far as the
   * superclasses can be read.
   */
  boolean isBelow(Set<String> internalNames) {
    ClassFile file = this;
    for (int i = 0; i < MOST_ABOVE && file != null && file.above != null; i++) {
      if (internalNames.contains(file.above)) {
        return true;
      }
      file = file.above.startsWith("java/") ? null : other(file.above);
    }
    return false;
  }

  private @Nullable ClassFile other(String internalName) {
    try (InputStream in = loader.getResourceAsStream(internalName + ".class")) {
      return in == null ? null : new ClassFile(loader, in.readAllBytes());
    } catch (IOException | RuntimeException notToBeHad) {
      return null;
    }
  }

  /** The method of {@link #around} that contains it; null unless it is a local class. */
  @Nullable String methodAround() {
    return outerMethod;
  }

  @Override
  public void visit(
      int version,
      int access,
      String name,
      @Nullable String signature,
      @Nullable String superName,
      String @Nullable [] interfaces) {
    this.signature = signature;
    above = superName;
  }

  @Override
  public void visitOuterClass(String owner, @Nullable String method, @Nullable String descriptor) {
    outer = owner;
    outerMethod = method == null ? null : method + descriptor;
  }

  @Override
  public void visitInnerClass(
      String name, @Nullable String outerName, @Nullable String innerName, int access) {
    if (name.equals(internalName()) && outerName != null) {
      outer = outerName;
    }
  }

  @Override
  public void visitAttribute(Attribute attribute) {
    forwarders.visitAttribute(attribute);
  }

  @Override
  public MethodVisitor visitMethod(
      int access,
      String name,
      String descriptor,
      @Nullable String signature,
      String @Nullable [] exceptions) {
    DeclaredMethod method =
        new DeclaredMethod(
            access,
            name,
            descriptor,
            signature,
            forwarders.body((access & Opcodes.ACC_STATIC) != 0, name, descriptor));
    methods.add(method);
    return method;
  }
}
