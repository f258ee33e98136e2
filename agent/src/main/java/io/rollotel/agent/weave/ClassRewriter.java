package io.rollotel.agent.weave;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.jspecify.annotations.Nullable;

/**
 * The one way of weaving: changes the bodies of some methods of a class, and nothing else. It goes
 * over the class file once, copies the methods that stay as they are, and loads no class.
 */
public final class ClassRewriter extends ClassVisitor {

  private static final int NO_BODY = Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE;

  private final ClassWriter writer;
  private final List<MethodPlace> places;
  private final boolean[] found;
  private final Map<String, String> fields = new HashMap<>();
  private final String className;
  private final boolean hasFrames;

  private ClassRewriter(ClassReader reader, ClassWriter writer, List<MethodPlace> places) {
    super(Opcodes.ASM9, writer);
    this.writer = writer;
    this.places = places;
    className = reader.getClassName();
    hasFrames = reader.readUnsignedShort(6) >= Opcodes.V1_6; // the major version
    found = new boolean[places.size()];
  }

  /**
   * Rewrites a class.
   *
   * @param places those of this class. If several match a method, the code of the first one comes
   *     first, outside the code of the others
   */
  public static ClassRewriter rewrite(ClassReader reader, List<MethodPlace> places) {
    // A writer that knows the reader copies unvisited methods.
    ClassRewriter rewriter = new ClassRewriter(reader, new ClassWriter(reader, 0), places);
    reader.accept(rewriter, ClassReader.EXPAND_FRAMES);
    return rewriter;
  }

  /** The places that this version of the class does not have. */
  public List<MethodPlace> missing() {
    List<MethodPlace> missing = new ArrayList<>();
    for (int i = 0; i < found.length; i++) {
      if (!found[i]) {
        missing.add(places.get(i));
      }
    }
    return missing;
  }

  /** The new class file; null if the class has none of the places. */
  public byte @Nullable [] bytes() {
    return missing().size() == found.length ? null : writer.toByteArray();
  }

  /** Fields come before methods. */
  @Override
  public FieldVisitor visitField(
      int access,
      String name,
      String descriptor,
      @Nullable String signature,
      @Nullable Object value) {
    fields.put(name, descriptor);
    return super.visitField(access, name, descriptor, signature, value);
  }

  @Override
  public MethodVisitor visitMethod(
      int access,
      String name,
      String descriptor,
      @Nullable String signature,
      String @Nullable [] exceptions) {
    MethodVisitor body = super.visitMethod(access, name, descriptor, signature, exceptions);
    if ((access & NO_BODY) != 0) {
      return body;
    }
    for (int i = 0; i < found.length; i++) {
      MethodPlace place = places.get(i);
      if (place.matches(name, descriptor)) {
        found[i] = true;
        MethodHead method = new MethodHead(className, fields, hasFrames, access, name, descriptor);
        body = place.change().change(body, method);
      }
    }
    return body;
  }
}
