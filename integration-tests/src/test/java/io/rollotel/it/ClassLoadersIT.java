package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Worker classes in loaders other than the one of the class path. */
class ClassLoadersIT {

  private static final String NEWEST = System.getProperty("opentelemetry.newest");
  private static final String OTHER = System.getProperty("opentelemetry.oldest");

  private @TempDir Path directory;

  @Test
  void childFirstPlugin_isTracedThroughItsOwnApi() throws Exception {
    Result result =
        ProgramRun.of(directory, PluginHost.class, "childFirst", with(OTHER))
            .openTelemetry(NEWEST, false)
            .run()
            .isClean();

    assertThat(result.lines()).containsExactly("plugin1 has worked", "done");
    hasATree(result, "plugin1");
    assertThat(result.spans()).hasSize(3);
  }

  @Tag("campaign")
  @Test
  void twoApplicationsWithAnApiEach_haveATreeEachAndAreCollectedWhenDropped() throws Exception {
    Result result =
        ProgramRun.of(
                directory, PluginHost.class, "dropped", "childFirst", with(OTHER), with(NEWEST))
            .run()
            .isClean();

    assertThat(result.lines())
        .containsExactly(
            "plugin1 has worked", "plugin2 has worked", "collected", "collected", "done");
    hasATree(result, "plugin1");
    hasATree(result, "plugin2");
    assertThat(result.spans()).hasSize(6);
    assertThat(result.directory().resolve("output/otlp/traces/traces.jsonl"))
        .as("what was pending was delivered")
        .exists();
  }

  @Test
  void loaderThatDoesNotSeeUs_isLeftAloneWithOneLine() throws Exception {
    Result result = ProgramRun.of(directory, PluginHost.class, "isolated", with(NEWEST)).run();

    result.isCleanBut(
        "io.rollotel.it.Plugin stays untraced: its class loader does not see the agent");
    assertThat(result.lines()).containsExactly("plugin1 has worked", "done");
    assertThat(directory.resolve("output")).doesNotExist();
  }

  @Test
  void springBootJar_isTracedAndJoinsTheGlobal() throws Exception {
    Path jar = directory.resolve("worker.jar");
    writeSpringBootJar(jar);
    Result result = ProgramRun.ofJar(directory, jar).run().isClean();

    assertThat(result.lines()).containsExactly("done");
    Span worker = result.span("worker.generate");
    Span byHand = result.span("by hand");
    assertThat(worker.traceId()).isEqualTo(Payload.TRACE_ID);
    assertThat(byHand.parentSpanId()).isEqualTo(worker.spanId());
    assertThat(result.span("worker.score").parentSpanId()).isEqualTo(byHand.spanId());
    assertThat(worker.resource().text("service.name")).isEqualTo("worker.jar");
    assertThat(result.spans()).hasSize(3);
  }

  private static void hasATree(Result result, String name) throws IOException {
    Span outer = result.span("outer " + name);
    Span inner = result.span("inner " + name);
    Span worker =
        result.spans().stream()
            .filter(span -> span.spanId().equals(inner.parentSpanId()))
            .findFirst()
            .orElseThrow();
    assertThat(worker.name()).isEqualTo("worker.work");
    assertThat(worker.parentSpanId()).isEqualTo(outer.spanId());
    assertThat(inner.traceId()).isEqualTo(outer.traceId());
  }

  /** A class path of the programs and this version of the API. */
  private static String with(String version) throws IOException {
    return Stream.concat(
            ProgramRun.programClasses().stream(),
            ProgramRun.openTelemetryJars(version, false).stream())
        .map(Path::toString)
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** As Spring Boot's build plugins lay it out: the loader, and jars in the jar. */
  private static void writeSpringBootJar(Path target) throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.put(Attributes.Name.MAIN_CLASS, "org.springframework.boot.loader.launch.JarLauncher");
    main.putValue("Start-Class", HandSpanWorker.class.getName());
    main.putValue("Spring-Boot-Classes", "BOOT-INF/classes/");
    main.putValue("Spring-Boot-Lib", "BOOT-INF/lib/");
    try (OutputStream file = Files.newOutputStream(target);
        JarOutputStream out = new JarOutputStream(file, manifest)) {
      Path loader =
          ProgramRun.ROOT.resolve("integration-tests/target/spring-boot/spring-boot-loader.jar");
      try (JarFile jar = new JarFile(loader.toFile())) {
        for (JarEntry entry : Collections.list(jar.entries())) {
          if (entry.getName().startsWith("org/") && !entry.isDirectory()) {
            try (InputStream in = jar.getInputStream(entry)) {
              store(out, entry.getName(), in.readAllBytes());
            }
          }
        }
      }
      store(out, "BOOT-INF/", new byte[0]);
      store(out, "BOOT-INF/classes/", new byte[0]);
      store(out, "BOOT-INF/lib/", new byte[0]);
      for (Path folder : ProgramRun.programClasses()) {
        for (Path classFile : classFiles(folder)) {
          store(
              out,
              "BOOT-INF/classes/" + folder.relativize(classFile).toString().replace('\\', '/'),
              Files.readAllBytes(classFile));
        }
      }
      for (Path library : ProgramRun.openTelemetryJars(NEWEST, false)) {
        store(out, "BOOT-INF/lib/" + library.getFileName(), Files.readAllBytes(library));
      }
    }
  }

  private static List<Path> classFiles(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return new ArrayList<>(
          files.filter(file -> file.toString().matches(".*[.](class|idx)")).toList());
    }
  }

  private static void store(JarOutputStream out, String name, byte[] bytes) throws IOException {
    CRC32 checksum = new CRC32();
    checksum.update(bytes);
    JarEntry entry = new JarEntry(name);
    entry.setMethod(JarEntry.STORED);
    entry.setSize(bytes.length);
    entry.setCrc(checksum.getValue());
    out.putNextEntry(entry);
    out.write(bytes);
    out.closeEntry();
  }
}
