package io.rollotel.processor;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.StringJoiner;
import java.util.TreeSet;
import javax.annotation.processing.Filer;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import javax.tools.FileObject;
import javax.tools.StandardLocation;

/**
 * The declarations of one top-level class, in a separate file, so that compiling another class
 * cannot damage it. docs/index-format.md describes the format.
 */
final class Index {

  private static final String HEADER = "roll-otel-index 1\n";
  private static final String NONE = "-";

  private final Types types;
  private final Elements elements;
  private final TypeElement topLevel;
  private final SortedSet<String> lines = new TreeSet<>();

  Index(Types types, Elements elements, TypeElement topLevel) {
    this.types = types;
    this.elements = elements;
    this.topLevel = topLevel;
  }

  TypeElement topLevel() {
    return topLevel;
  }

  /** Those of them that the agent weaves. */
  void add(TypeElement declaring, List<AnnotatedMethod> methods) {
    String className = elements.getBinaryName(declaring).toString();
    for (AnnotatedMethod method : methods) {
      if (method.isWoven() && method.hasCode()) {
        boolean traced = method.isTraced();
        lines.add(
            String.join(
                "\t",
                className,
                method.name(),
                descriptor(method),
                role(method),
                method.dispatch() == null ? NONE : "dispatch",
                carriers(method),
                traced ? method.spanName() : NONE));
      }
    }
  }

  private static String role(AnnotatedMethod method) {
    if (method.register() != null) {
      return method.isTraced() ? "trace" : "suppress";
    }
    return method.phase() != null ? "phase" : NONE;
  }

  /**
   * Writes the file. If there is nothing to write, it empties the one that an earlier compilation
   * may have left.
   */
  void write(Filer filer) throws IOException {
    String name = "META-INF/roll-otel/" + topLevel.getQualifiedName() + ".idx";
    if (lines.isEmpty()) {
      delete(filer, name);
      return;
    }
    FileObject file = filer.createResource(StandardLocation.CLASS_OUTPUT, "", name, topLevel);
    try (OutputStream out = file.openOutputStream()) {
      out.write((HEADER + String.join("\n", lines) + "\n").getBytes(UTF_8));
    }
  }

  private static void delete(Filer filer, String name) {
    try {
      FileObject old = filer.getResource(StandardLocation.CLASS_OUTPUT, "", name);
      // javac's filer cannot delete files.
      if (!old.delete() && "file".equals(old.toUri().getScheme())) {
        Files.deleteIfExists(Path.of(old.toUri()));
      }
    } catch (IOException | RuntimeException none) {
      // The file does not exist, as intended; compilers report that in different ways.
    }
  }

  private String carriers(AnnotatedMethod method) {
    StringJoiner carriers = new StringJoiner(",");
    carriers.setEmptyValue(NONE);
    for (int i = 0; i < method.parameters().size(); i++) {
      Carriers.Kind carries = method.parameters().get(i).carries();
      if (carries != null) {
        carriers.add(i + ":" + carries.name().toLowerCase(Locale.ROOT));
      }
    }
    return carriers.toString();
  }

  /** As in the class file (JVMS 4.3.3). */
  private String descriptor(AnnotatedMethod method) {
    StringBuilder descriptor = new StringBuilder("(");
    for (VariableElement parameter : method.element().getParameters()) {
      append(parameter.asType(), descriptor);
    }
    append(method.element().getReturnType(), descriptor.append(')'));
    return descriptor.toString();
  }

  private void append(TypeMirror type, StringBuilder descriptor) {
    TypeMirror erased = types.erasure(type);
    switch (erased.getKind()) {
      case BOOLEAN -> descriptor.append('Z');
      case BYTE -> descriptor.append('B');
      case CHAR -> descriptor.append('C');
      case DOUBLE -> descriptor.append('D');
      case FLOAT -> descriptor.append('F');
      case INT -> descriptor.append('I');
      case LONG -> descriptor.append('J');
      case SHORT -> descriptor.append('S');
      case VOID -> descriptor.append('V');
      case ARRAY -> append(((ArrayType) erased).getComponentType(), descriptor.append('['));
      default ->
          descriptor
              .append('L')
              .append(
                  elements
                      .getBinaryName(Carriers.typeElement((DeclaredType) erased))
                      .toString()
                      .replace('.', '/'))
              .append(';');
    }
  }
}
