package io.rollotel.benchmarks.peers;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** The jars of agents that do next to nothing, to compare with. */
public final class AgentJar {

  private AgentJar() {}

  /**
   * Writes it into the folder.
   *
   * @param agent a class with a premain, which needs no other
   */
  public static Path write(Path folder, Class<?> agent) throws IOException {
    Path jar = folder.resolve(agent.getSimpleName() + ".jar");
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", agent.getName());
    String name = agent.getName().replace('.', '/') + ".class";
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest);
        var in = agent.getClassLoader().getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException("no " + name);
      }
      out.putNextEntry(new JarEntry(name));
      in.transferTo(out);
    }
    return jar;
  }
}
