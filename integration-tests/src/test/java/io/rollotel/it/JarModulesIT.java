package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.common.ComponentLoader;
import io.opentelemetry.context.Context;
import io.rollotel.it.kit.ProgramRun;
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

/** The jars that an application has on its module path. */
class JarModulesIT {

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
