package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.common.ComponentLoader;
import io.opentelemetry.context.Context;
import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.Launched;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.traces.otlp.Span;
import java.io.File;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.module.ResolvedModule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jars that an application has on its module path. */
class JarModulesIT {

  private @TempDir Path directory;

  private static Path jarOf(String module) throws Exception {
    try (Stream<Path> files = Files.list(ProgramRun.ROOT.resolve(module + "/target"))) {
      return files
          .filter(
              file ->
                  file.getFileName()
                      .toString()
                      .matches("roll-otel-" + module + "-[0-9.]+(-SNAPSHOT)?\\.jar"))
          .findFirst()
          .orElseThrow();
    }
  }

  /** jlink refuses automatic modules, and so one that the application requires to run. */
  @Test
  void imageOfAModuleThatRequiresTheAnnotationsOnlyToCompile_isTraced() throws Exception {
    Path module = Files.createDirectory(directory.resolve("module"));
    Path descriptor =
        Files.writeString(
            module.resolve("module-info.java"),
            "module com.acme { requires static io.rollotel.annotations; }");
    Path worker =
        Files.writeString(
            module.resolve("Worker.java"),
            "package com.acme;"
                + "class Worker {"
                + "  @io.rollotel.annotations.Register(trace = true) static void train() {}"
                + "  public static void main(String[] arguments) { train(); }"
                + "}");
    Path classes = directory.resolve("classes");
    Path image = directory.resolve("image");
    String annotations = jarOf("annotations").toString();
    run(
        Finished.jdk("javac"),
        "--processor-path",
        jarOf("processor") + File.pathSeparator + annotations,
        "-p",
        annotations,
        "-d",
        classes.toString(),
        descriptor.toString(),
        worker.toString());
    run(
        Finished.jdk("jlink"),
        "-p",
        classes.toString(),
        "--add-modules",
        "com.acme,java.instrument",
        "--output",
        image.toString());
    Finished traced =
        run(
            image.resolve("bin/java").toString(),
            "-javaagent:" + ProgramRun.AGENT,
            "-m",
            "com.acme/com.acme.Worker");

    assertThat(traced.err()).isEmpty();
    assertThat(ProgramRun.Result.spans(directory.resolve("output/otlp")))
        .extracting(Span::name)
        .containsExactly("worker.train");
  }

  private Finished run(String... command) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    Launched.clean(builder).environment().put("ROLL_OTEL_ENABLED", "1");
    return Finished.of(builder).isWell();
  }

  /** Two modules with one package could not be resolved. */
  @Test
  void annotationsAndTelemetry_areModulesOfTheirNames() throws Exception {
    List<Path> jars = new ArrayList<>(List.of(jarOf("annotations"), jarOf("telemetry")));
    for (Class<?> api : List.of(OpenTelemetry.class, Context.class, ComponentLoader.class)) {
      jars.add(ProgramRun.jarOf(api));
    }
    Set<String> ours = Set.of("io.rollotel.annotations", "io.rollotel.telemetry");
    Configuration resolved =
        ModuleLayer.boot()
            .configuration()
            .resolve(ModuleFinder.of(jars.toArray(new Path[0])), ModuleFinder.of(), ours);
    assertThat(resolved.modules()).extracting(ResolvedModule::name).containsAll(ours);
  }
}
