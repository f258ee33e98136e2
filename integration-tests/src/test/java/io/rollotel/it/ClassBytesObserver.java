package io.rollotel.it;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.ProtectionDomain;
import java.util.HexFormat;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * A second agent: prints a hash of the bytes of one class as they are after everybody else, which
 * it sees by being the last: behind ours on the command line, or attached after it.
 */
public final class ClassBytesObserver implements ClassFileTransformer {

  private final String name;

  private ClassBytesObserver(String name) {
    this.name = name;
  }

  /** Without a class, watches none: that an agent is there makes the JVM keep methods in order. */
  public static void premain(String className, Instrumentation instrumentation) {
    if (className == null) {
      return;
    }
    instrumentation.addTransformer(new ClassBytesObserver(className.replace('.', '/')), true);
  }

  /** Prints the hash for a class that is loaded already, or the agent's classes for none. */
  public static void agentmain(String className, Instrumentation instrumentation)
      throws UnmodifiableClassException {
    if (className == null) {
      int ours = 0;
      for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
        ClassLoader loader = loaded.getClassLoader();
        ours += loader != null && String.valueOf(loader.getName()).startsWith("roll-otel") ? 1 : 0;
      }
      System.out.println("ours " + ours);
      return;
    }
    ClassBytesObserver observer = new ClassBytesObserver(className.replace('.', '/'));
    instrumentation.addTransformer(observer, true);
    for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
      if (loaded.getName().equals(className)) {
        instrumentation.retransformClasses(loaded);
      }
    }
    instrumentation.removeTransformer(observer);
  }

  @Override
  public byte[] transform(
      ClassLoader loader,
      String loaded,
      Class<?> redefined,
      ProtectionDomain domain,
      byte[] bytes) {
    if (name.equals(loaded)) {
      System.out.println("bytes " + hash(bytes));
    }
    return null;
  }

  static String hash(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  static Path jar(Path directory) throws IOException {
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.putValue("Premain-Class", ClassBytesObserver.class.getName());
    attributes.putValue("Agent-Class", ClassBytesObserver.class.getName());
    attributes.putValue("Can-Retransform-Classes", "true");
    Path jar = directory.resolve("observer.jar");
    String entry = ClassBytesObserver.class.getName().replace('.', '/') + ".class";
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest);
        InputStream in = ClassBytesObserver.class.getClassLoader().getResourceAsStream(entry)) {
      out.putNextEntry(new JarEntry(entry));
      in.transferTo(out);
    }
    return jar;
  }
}
