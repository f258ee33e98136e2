package io.rollotel.it.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/** Resolves what the agent's SDK names of the API against one version of it. */
public final class ApiLinks {

  private final Map<String, Set<String>> members = new HashMap<>();
  private final Map<String, List<String>> supertypes = new HashMap<>();

  public ApiLinks(String version) throws IOException {
    for (Path jar : ProgramRun.openTelemetryJars(version, false)) {
      if (!jar.toString().contains("-common-")) { // which the agent always takes from itself
        index(jar);
      }
    }
    assertThat(members).as("the API's classes").hasSizeGreaterThan(100);
  }

  /** The members that the SDK among some classes names and the API lacks. */
  public Set<String> missing(Map<String, byte[]> classes) {
    Set<String> missing = new TreeSet<>();
    classes.forEach(
        (name, bytes) -> {
          if (name.matches(
              "io/(opentelemetry/(sdk|exporter)|rollotel/(agent/(export|link|metrics|sdk|span)|telemetry))/.*")) {
            collect(new ClassReader(bytes), missing);
          }
        });
    return missing;
  }

  private void collect(ClassReader reader, Set<String> missing) {
    reader.accept(
        new ClassVisitor(Opcodes.ASM9) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] thrown) {
            return new MethodVisitor(Opcodes.ASM9) {
              @Override
              public void visitMethodInsn(
                  int opcode, String owner, String called, String type, boolean ofInterface) {
                check(owner, called + type);
              }

              @Override
              public void visitFieldInsn(int opcode, String owner, String field, String type) {
                check(owner, field + ":" + type);
              }

              @Override
              public void visitInvokeDynamicInsn(
                  String dynamic, String type, Handle bootstrap, Object... arguments) {
                for (Object argument : arguments) {
                  if (argument instanceof Handle handle) {
                    check(handle.getOwner(), handle.getName() + handle.getDesc());
                  }
                }
              }
            };
          }

          private void check(String owner, String member) {
            // A class that this API lacks altogether comes from the agent's own copy.
            if (members.containsKey(owner) && !has(owner, member)) {
              missing.add(owner + "." + member);
            }
          }
        },
        0);
  }

  private boolean has(String type, String member) {
    Set<String> own = members.get(type);
    if (own == null) {
      return member.startsWith("<init>()")
          || Stream.of(Object.class.getDeclaredMethods())
              .anyMatch(method -> member.startsWith(method.getName() + "("))
          || !type.startsWith("java/lang/Object");
    }
    return own.contains(member)
        || supertypes.get(type).stream().anyMatch(supertype -> has(supertype, member));
  }

  private void index(Path path) throws IOException {
    try (JarFile jar = new JarFile(path.toFile())) {
      for (JarEntry entry : Collections.list(jar.entries())) {
        // Taken from the agent whatever the application has: InnerLoader.
        if (!entry.getName().endsWith(".class")
            || entry.getName().startsWith("META-INF")
            || entry.getName().matches(".*/internal/(ConfigUtil|OtelEncodingUtils)[.]class")) {
          continue;
        }
        ClassReader reader = new ClassReader(jar.getInputStream(entry).readAllBytes());
        Set<String> own = new TreeSet<>();
        members.put(reader.getClassName(), own);
        supertypes.put(
            reader.getClassName(),
            Stream.concat(Stream.of(reader.getSuperName()), Stream.of(reader.getInterfaces()))
                .toList());
        reader.accept(
            new ClassVisitor(Opcodes.ASM9) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String name, String descriptor, String signature, String[] thrown) {
                own.add(name + descriptor);
                return null;
              }

              @Override
              public FieldVisitor visitField(
                  int access, String name, String descriptor, String signature, Object value) {
                own.add(name + ":" + descriptor);
                return null;
              }
            },
            ClassReader.SKIP_CODE);
      }
    }
  }
}
