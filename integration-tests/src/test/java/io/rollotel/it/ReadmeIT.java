package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.Launched;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The README's project, as printed: created, built with the Maven that runs the tests, and traced.
 */
class ReadmeIT {

  private static final String VERSION = "0.1.0-SNAPSHOT";

  private @TempDir Path directory;

  private Path source;

  @BeforeEach
  void makeTheProject() throws IOException {
    source = directory.resolve("src/main/java/Worker.java");
    Files.createDirectories(source.getParent());
    Files.writeString(directory.resolve("pom.xml"), block("README.md", "xml", "<project"));
    Files.writeString(source, block("README.md", "java", "public class Worker"));
    install("roll-otel", ProgramRun.ROOT.resolve("pom.xml"), null);
    for (String module : List.of("annotations", "processor")) {
      Path folder = ProgramRun.ROOT.resolve(module);
      String artifact = "roll-otel-" + module;
      Path jar = folder.resolve("target").resolve(artifact + "-" + VERSION + ".jar");
      install(artifact, folder.resolve("pom.xml"), jar);
    }
    // The build does not fetch again what this build has fetched.
    Files.writeString(
        directory.resolve("settings.xml"),
        """
        <settings>
          <profiles>
            <profile>
              <id>fetched</id>
              <repositories>
                <repository><id>fetched</id><url>%1$s</url></repository>
              </repositories>
              <pluginRepositories>
                <pluginRepository><id>fetched</id><url>%1$s</url></pluginRepository>
              </pluginRepositories>
            </profile>
          </profiles>
          <activeProfiles><activeProfile>fetched</activeProfile></activeProfiles>
        </settings>
        """
            .formatted(Path.of(System.getProperty("localRepository")).toUri()));
  }

  @Test
  void firstProject_isBuiltAndTracedAsPrinted() throws Exception {
    maven().isWell();
    ProcessBuilder worker =
        new ProcessBuilder(
                Finished.jdk("java"),
                "-javaagent:" + ProgramRun.AGENT,
                "-cp",
                "target/classes",
                "Worker")
            .directory(directory.toFile());
    Launched.clean(worker).environment().put("ROLL_OTEL_ENABLED", "1");
    Finished traced = Finished.of(worker).isWell();

    assertThat(traced.out()).isEqualToIgnoringNewLines("hello, world");
    assertThat(traced.err()).isEmpty();
    List<Span> spans = new ArrayList<>();
    new TracesReader().read(directory.resolve("output/otlp"), spans::add);
    assertThat(spans)
        .extracting(Span::name)
        .containsExactlyInAnyOrder("pipeline_step", "worker.generate");
    assertThat(report())
        .contains("Where is the time spent? 1 step, ")
        .contains("What is the critical path?")
        .contains("Which step or worker is the bottleneck?");
  }

  @Tag("campaign")
  @Test
  void firstProjectWithAnError_isRefusedByTheProcessor() throws Exception {
    String right = Files.readString(source);
    Files.writeString(source, right.replace("Map<String, Object> metaInfo", "String metaInfo"));
    Finished refused = maven();

    assertThat(refused.exitCode()).isNotZero();
    assertThat(refused.out()).contains("Worker.java").contains("metaInfo");
    assertThat(refused.out()).containsPattern("@MetaInfo .*Map");
  }

  /** No Gradle runs here; it would compile the same artifacts in the same roles. */
  @Test
  void linesForGradle_nameTheArtifactsOfThePom() throws IOException {
    String pom = Files.readString(directory.resolve("pom.xml"));
    List<MatchResult> dependencies =
        Pattern.compile("(implementation|annotationProcessor) '(.+):(.+):(.+)'")
            .matcher(block("docs/annotate.md", "groovy", "annotationProcessor"))
            .results()
            .toList();
    assertThat(dependencies).hasSize(2);
    for (MatchResult line : dependencies) {
      assertThat(pom)
          .containsPattern(
              "<%s>\\s*<groupId>%s</groupId>\\s*<artifactId>%s</artifactId>\\s*<version>%s<"
                  .formatted(
                      line.group(1).equals("implementation") ? "dependency" : "path",
                      line.group(2),
                      line.group(3),
                      line.group(4)));
    }
  }

  private String report() throws Exception {
    ProcessBuilder report =
        new ProcessBuilder(
                Finished.jdk("java"), "-jar", ProgramRun.AGENT.toString(), "report", "output/otlp")
            .directory(directory.toFile());
    Launched.clean(report);
    return Finished.of(report).isWell().out();
  }

  private Finished maven() throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
                System.getProperty("mavenHome") + "/bin/mvn",
                "-B",
                "-q",
                "-s",
                "settings.xml",
                "-Dmaven.repo.local=" + directory.resolve("repository"),
                "compile")
            .directory(directory.toFile());
    Launched.clean(builder).environment().put("JAVA_HOME", System.getProperty("java.home"));
    return Finished.of(builder);
  }

  /** As {@code mvn install} would. */
  private void install(String artifact, Path pom, @Nullable Path jar) throws IOException {
    Path folder = directory.resolve("repository/io/rollotel").resolve(artifact).resolve(VERSION);
    Files.createDirectories(folder);
    String name = artifact + "-" + VERSION;
    Files.copy(pom, folder.resolve(name + ".pom"));
    if (jar != null) {
      Files.copy(jar, folder.resolve(name + ".jar"));
    }
  }

  /** The first block of a document in a language that has the text. */
  private static String block(String document, String language, String text) throws IOException {
    Pattern block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL);
    return block
        .matcher(Files.readString(ProgramRun.ROOT.resolve(document)))
        .results()
        .map(match -> match.group(1))
        .filter(code -> code.contains(text))
        .findFirst()
        .orElseThrow(() -> new AssertionError(document + " has no " + text));
  }
}
