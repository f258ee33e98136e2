package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.CollectProcess;
import io.rollotel.it.kit.JarClasses;
import io.rollotel.it.kit.ProgramRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The classes that the start loads, under the shipped jar: numbers that noise does not change.
 * {@link DisabledIT} covers disabled tracing.
 */
class StartIT {

  /** The build stores these classes in one entry of the jar. */
  private static final Path LIST = ProgramRun.ROOT.resolve("agent/src/main/start-classes.txt");

  /** Classes that one start needs and another does not, and those of a change or two. */
  private static final int TOLERATED = 12;

  private @TempDir Path directory;

  /** Our own classes are 46, including those of the settings. */
  @Test
  void nothingAnnotated_loadsTheDoorAlone() throws Exception {
    assertThat(loaded(ProgramRun.of(directory, SilentWorker.class)))
        .noneMatch(
            name ->
                name.startsWith("io.rollotel.bytebuddy.")
                    || name.startsWith("io.rollotel.agent.weave.")
                    // The agent and the collector share these settings classes.
                    || (name.startsWith("io.rollotel.traces.")
                        && !name.startsWith("io.rollotel.traces.settings."))
                    || name.startsWith("io.opentelemetry."))
        .filteredOn(
            name -> name.startsWith("io.rollotel.agent.") || name.startsWith("io.rollotel.traces."))
        .hasSizeLessThanOrEqualTo(46);
  }

  @Test
  void spanOverPlainHttp_loadsNoEncryptionAndNoClientWithThreads() throws Exception {
    try (CollectProcess collector = CollectProcess.start(directory.resolve("elsewhere"), 0, 0)) {
      List<String> loaded = loaded(toEndpoint(collector));
      assertThat(loaded)
          .contains("io.rollotel.agent.export.OtlpSpanExporter")
          .noneMatch(
              name ->
                  (name.startsWith("io.rollotel.bytebuddy.")
                          && !name.startsWith("io.rollotel.bytebuddy.jar.asm."))
                      || name.startsWith("io.opentelemetry.sdk.autoconfigure.AutoConfigured")
                      || name.startsWith("java.security.SecureRandom")
                      || name.startsWith("io.opentelemetry.exporter.internal.otlp.traces.")
                      || name.startsWith("jdk.internal.net.http.")
                      || name.startsWith("sun.security.ssl.")
                      || name.startsWith("io.grpc."));
    }
  }

  @Test
  void driverWithoutWorkers_loadsNoServerAndSendsNothingToItself() throws Exception {
    List<String> loaded = loaded(ProgramRun.of(directory, PlainWorker.class));
    assertThat(loaded)
        .contains("io.rollotel.traces.collector.EmbeddedCollector")
        .noneMatch(name -> name.startsWith("io.netty.") || name.startsWith("io.grpc."))
        .doesNotContain(
            "io.rollotel.traces.collector.Servers", "io.rollotel.traces.collector.HttpConnection");
    assertThat(directory.resolve("output/otlp/traces/traces.jsonl")).isNotEmptyFile();
  }

  /**
   * Counts all classes, the JDK's included. With nothing annotated, JDK 17 loads the most: 98. The
   * bound leaves six more for other JDKs. The bound for the first calls is a tenth above what JDK
   * 25 loads, which is more than JDK 17 loads. Whoever raises a bound says in RATIONALE.md what
   * for.
   */
  @Test
  void stepsOfTheStart_loadAsManyClassesAsTheyDid() throws Exception {
    int disabled =
        loaded(ProgramRun.of(directory, PlainWorker.class).withoutEnvironment("ROLL_OTEL_ENABLED"))
            .size();
    int nothing = loaded(ProgramRun.of(directory, SilentWorker.class)).size();
    int nothingDisabled =
        loaded(ProgramRun.of(directory, SilentWorker.class).withoutEnvironment("ROLL_OTEL_ENABLED"))
            .size();
    int firstCalls;
    try (CollectProcess collector = CollectProcess.start(directory.resolve("elsewhere"), 0, 0)) {
      firstCalls = loaded(toEndpoint(collector)).size();
    }
    assertThat(nothing - nothingDisabled).as("nothing annotated").isBetween(1, 104);
    assertThat(firstCalls - disabled).as("the first calls").isBetween(1, 1215);
  }

  /** Of a worker, of one whose application has the API, and of a driver. */
  @Test
  void startOfTracing_findsItsClassesInOneEntry() throws Exception {
    Set<String> loaded = new TreeSet<>();
    try (CollectProcess collector = CollectProcess.start(directory.resolve("elsewhere"), 0, 0)) {
      String newest = System.getProperty("opentelemetry.newest");
      loaded.addAll(loadedByInnerLoaders(toEndpoint(collector)));
      loaded.addAll(loadedByInnerLoaders(toEndpoint(collector).openTelemetry(newest, false)));
    }
    loaded.addAll(loadedByInnerLoaders(ProgramRun.of(directory, PlainWorker.class)));
    loaded.retainAll(JarClasses.read().keySet());
    if (Boolean.getBoolean("document.update")) {
      Files.write(LIST, loaded.stream().map(name -> name + ".class").toList());
      return;
    }
    Set<String> stored = JarClasses.ofStart();
    assertThat(Files.readAllLines(LIST)) // the build does not complain of others
        .as("listed but not in the jar: -Ddocument.update=true rewrites %s", LIST)
        .filteredOn(name -> !name.matches(".*\\$\\d+\\.class")) // each compiler makes its own
        .allMatch(name -> stored.contains(name.replace(".class", "")));
    assertThat(loaded.stream().filter(name -> !stored.contains(name)))
        .as("loaded but not stored: -Ddocument.update=true rewrites %s", LIST)
        .hasSizeLessThanOrEqualTo(TOLERATED);
    assertThat(stored.stream().filter(name -> !loaded.contains(name)))
        .as("stored but not loaded: -Ddocument.update=true rewrites %s", LIST)
        .hasSizeLessThanOrEqualTo(TOLERATED);
  }

  @Test
  void firstCalls_startThreeThreadsAtMost() throws Exception {
    try (CollectProcess collector = CollectProcess.start(directory.resolve("elsewhere"), 0, 0)) {
      String threads =
          toEndpoint(collector).run().isClean().lines().stream()
              .filter(line -> line.startsWith("threads "))
              .findFirst()
              .orElseThrow();
      assertThat(threads.replaceAll("^threads \\[|]$", "").split(", "))
          .contains("roll-otel-export")
          .filteredOn(name -> name.startsWith("roll-otel"))
          .isSubsetOf("roll-otel-export", "roll-otel-minute", "roll-otel-send");
    }
  }

  private ProgramRun toEndpoint(CollectProcess collector) {
    return ProgramRun.of(directory, PlainWorker.class)
        .environment(
            "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + collector.port("http/protobuf"));
  }

  private List<String> loaded(ProgramRun program) throws Exception {
    return log(program).map(line -> line.split(" ")[0]).toList();
  }

  /** With slashes. Other loaders give the JVM the location of a class. */
  private List<String> loadedByInnerLoaders(ProgramRun program) throws Exception {
    return log(program)
        .filter(line -> line.endsWith(" source: __JVM_DefineClass__"))
        .map(line -> line.split(" ")[0].replace('.', '/'))
        .toList();
  }

  private Stream<String> log(ProgramRun program) throws Exception {
    Path log = directory.resolve("classes.log");
    program.jvmOptions("-Xlog:class+load:file=" + log + ":none").run().isClean();
    return Files.readAllLines(log).stream();
  }
}
