package io.rollotel.it.kit;

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
import java.util.Base64;
import java.util.HexFormat;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * A second agent: prints the bytes of one class as they are after everybody else, which it sees by
 * being the last: on the command line behind ours their hash, attached after it all of them.
 */
public final class ClassBytesObserver implements ClassFileTransformer {

  private final String name;
  private final boolean whole;

  private ClassBytesObserver(String className, boolean whole) {
    name = className.replace('.', '/');
    this.whole = whole;
  }

  public static void premain(String className, Instrumentation instrumentation) {
    instrumentation.addTransformer(new ClassBytesObserver(className, false), true);
  }

  /** Prints the bytes of a class that is loaded already, or the agent's classes for none. */
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
    ClassBytesObserver observer = new ClassBytesObserver(className, true);
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
      System.out.println(
          "bytes " + (whole ? Base64.getEncoder().encodeToString(bytes) : hash(bytes)));
    }
    return null;
  }

  public static String hash(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  public static Path jar(Path directory) throws IOException {
    return jar(directory, ClassBytesObserver.class);
  }

  static Path jar(Path directory, Class<?> agent) throws IOException {
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.putValue("Premain-Class", agent.getName());
    attributes.putValue("Agent-Class", agent.getName());
    attributes.putValue("Can-Retransform-Classes", "true");
    Path jar = directory.resolve("observer.jar");
    String entry = agent.getName().replace('.', '/') + ".class";
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest);
        InputStream in = agent.getClassLoader().getResourceAsStream(entry)) {
      out.putNextEntry(new JarEntry(entry));
      in.transferTo(out);
    }
    return jar;
  }
}
