package io.rollotel.benchmarks;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A class of so many methods, compiled once, and as many of it as one likes, by another name each.
 * It is a {@code ToIntFunction<Map<String, Object>>} that calls all its methods.
 */
final class GeneratedClass {

  /** How its methods are traced. */
  enum Traced {
    NOT,
    ANNOTATED,
    BY_HAND
  }

  private static final String PREFIX = "Generated";
  private static final String NAME = PREFIX + "00000";

  private final byte[] template;

  private GeneratedClass(byte[] template) {
    this.template = template;
  }

  /** Compiles it in the folder, and leaves the class file there. */
  static GeneratedClass of(Path folder, int methods, Traced traced) throws IOException {
    Path file = Files.writeString(folder.resolve(NAME + ".java"), source(methods, traced));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of(
              "-proc:none",
              "-classpath",
              System.getProperty("java.class.path"),
              "-d",
              folder.toString());
      if (!compiler
          .getTask(null, files, null, options, null, files.getJavaFileObjects(file))
          .call()) {
        throw new IllegalStateException("does not compile");
      }
    }
    return new GeneratedClass(Files.readAllBytes(folder.resolve(NAME + ".class")));
  }

  private static String source(int methods, Traced traced) {
    StringBuilder source = new StringBuilder(2000);
    source.append("import java.util.Map;\npublic class ").append(NAME);
    source.append(" implements java.util.function.ToIntFunction<Map<String, Object>> {\n");
    source.append("  private int calls;\n  public ").append(NAME).append("() {}\n");
    source.append("  public int applyAsInt(Map<String, Object> metaInfo) {\n    int sum = 0;\n");
    for (int i = 0; i < methods; i++) {
      source.append("    sum += step").append(i).append("(metaInfo);\n");
    }
    source.append("    return sum;\n  }\n");
    for (int i = 0; i < methods; i++) {
      String name = "step" + i;
      String body =
          "    int sum = metaInfo.size() + "
              + i
              + ";\n    for (int i = 0; i < 20; i++) {\n      sum = 31 * sum + i;\n    }\n"
              + "    if (sum == calls++) {\n      throw new IllegalStateException(\""
              + name
              + " of \" + metaInfo.keySet());\n    }\n    return sum;\n";
      source.append(
          switch (traced) {
            case NOT -> head(name, "") + body;
            case ANNOTATED ->
                "  @io.rollotel.annotations.Register(trace = true)\n"
                    + head(name, "@io.rollotel.annotations.MetaInfo ")
                    + body;
            case BY_HAND -> head(name, "") + byHand(name, body);
          });
      source.append("  }\n");
    }
    return source.append("}\n").toString();
  }

  private static String head(String name, String annotation) {
    return "  public int " + name + "(" + annotation + "Map<String, Object> metaInfo) {\n";
  }

  private static String byHand(String name, String body) {
    String helper = ByHand.class.getName();
    return "    io.opentelemetry.context.Context parent = "
        + SenderContext.class.getName()
        + ".extract(metaInfo);\n    io.opentelemetry.api.trace.Span span = "
        + helper
        + ".start(\""
        + name
        + "\", parent);\n    try (io.opentelemetry.context.Scope scope ="
        + " parent.with(span).makeCurrent()) {\n"
        + body
        + "    } catch (RuntimeException e) {\n      "
        + helper
        + ".failed(span, e);\n      throw e;\n"
        + "    } finally {\n      span.end();\n    }\n";
  }

  /** One that was compiled before. */
  static GeneratedClass read(Path folder) throws IOException {
    return new GeneratedClass(Files.readAllBytes(folder.resolve(NAME + ".class")));
  }

  static String name(int number) {
    return PREFIX + String.format("%05d", number);
  }

  /** The bytes of one: the name is as long as the template's. */
  byte[] bytes(int number) {
    byte[] bytes = template.clone();
    byte[] from = NAME.getBytes(StandardCharsets.US_ASCII);
    byte[] to = name(number).getBytes(StandardCharsets.US_ASCII);
    for (int at = 0; at <= bytes.length - from.length; at++) {
      int same = 0;
      while (same < from.length && template[at + same] == from[same]) {
        same++;
      }
      if (same == from.length) {
        System.arraycopy(to, 0, bytes, at, to.length);
      }
    }
    return bytes;
  }

  /** Writes a jar of many. */
  void writeJar(Path jar, int count) throws IOException {
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file)) {
      for (int i = 0; i < count; i++) {
        out.putNextEntry(new JarEntry(name(i) + ".class"));
        out.write(bytes(i));
      }
    }
  }

  /** Defines the class from the given bytes. */
  static final class Loader extends ClassLoader {

    Loader() {
      super(GeneratedClass.class.getClassLoader());
    }

    Class<?> define(int number, byte[] bytes) {
      return defineClass(name(number), bytes, 0, bytes.length);
    }
  }
}
