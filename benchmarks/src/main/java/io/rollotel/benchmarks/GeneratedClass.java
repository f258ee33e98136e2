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

  private static final String PREFIX = "Generated";
  private static final String NAME = PREFIX + "00000";

  private final byte[] template;

  private GeneratedClass(byte[] template) {
    this.template = template;
  }

  /** Compiles it in the folder, and leaves the class file there. */
  static GeneratedClass of(Path folder, int methods, boolean isAnnotated) throws IOException {
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
      if (isAnnotated) {
        source.append("  @io.rollotel.annotations.Register(trace = true)\n");
      }
      source.append("  public int step").append(i).append('(');
      source.append(isAnnotated ? "@io.rollotel.annotations.MetaInfo " : "");
      source.append("Map<String, Object> metaInfo) {\n    int sum = metaInfo.size() + ").append(i);
      source.append(";\n    for (int i = 0; i < 20; i++) {\n      sum = 31 * sum + i;\n    }\n");
      source.append("    if (sum == calls++) {\n      throw new IllegalStateException(\"step ");
      source.append(i).append(" of \" + metaInfo.keySet());\n    }\n    return sum;\n  }\n");
    }
    Path file = Files.writeString(folder.resolve(NAME + ".java"), source.append("}\n"));
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

  /** Defines what it is given. */
  static final class Loader extends ClassLoader {

    Loader() {
      super(GeneratedClass.class.getClassLoader());
    }

    Class<?> define(int number, byte[] bytes) {
      return defineClass(name(number), bytes, 0, bytes.length);
    }
  }
}
