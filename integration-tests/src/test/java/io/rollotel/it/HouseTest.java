package io.rollotel.it;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which package may depend on which. */
class HouseTest {

  private static final JavaClasses HOUSE =
      new ClassFileImporter()
          .importPaths(
              Stream.of(
                      "annotations",
                      "processor",
                      "telemetry",
                      "traces",
                      "parquet",
                      "spark",
                      "agent",
                      "examples")
                  .map(module -> Path.of("..", module, "target", "classes"))
                  .toList());

  /** What {@code InnerLoader} loads once for each copy of the OpenTelemetry API. */
  private static final String[] PER_API = {
    "io.rollotel.agent.export",
    "io.rollotel.agent.link",
    "io.rollotel.agent.metrics",
    "io.rollotel.agent.sdk",
    "io.rollotel.agent.span"
  };

  /** What the application's class path sees. */
  private static final String[] OUTER = {
    "io.rollotel.agent", "io.rollotel.agent.hook", "io.rollotel.agent.loader"
  };

  private static final String[] OUTER_SEES = {
    "java..",
    "org.jspecify..",
    "io.rollotel.agent",
    "io.rollotel.agent.hook",
    "io.rollotel.agent.loader"
  };

  static Stream<ArchRule> rules() {
    return Stream.of(
        slices().matching("io.rollotel.(**)").should().beFreeOfCycles(),
        classes()
            .that()
            .resideInAPackage("..annotations..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "io.rollotel.annotations"),
        noClasses()
            .that()
            .resideOutsideOfPackage("io.rollotel.agent..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.rollotel.agent..")
            .as("nothing points at the agent"),
        classes()
            .that()
            .resideInAPackage("..processor..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                "java..",
                "javax..",
                "org.jspecify..",
                "com.google.auto.service",
                "io.rollotel.annotations",
                "io.rollotel.processor"),
        classes()
            .that()
            .resideInAPackage("..telemetry..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                "java..",
                "org.jspecify..",
                "io.opentelemetry.api..",
                "io.opentelemetry.context..",
                "io.rollotel.telemetry..",
                // From the application, if it has them: one class each.
                "com.fasterxml.jackson..",
                "tools.jackson.."),
        noClasses()
            .that()
            .resideOutsideOfPackages("io.rollotel.telemetry..", "io.rollotel.agent..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.rollotel.telemetry.internal..")
            .as("telemetry.internal is for telemetry and the agent"),
        noClasses()
            .that()
            .resideInAnyPackage("io.rollotel.telemetry.internal..", "io.rollotel.agent..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.rollotel.telemetry")
            .as("telemetry is for users: the agent uses telemetry.internal alone"),
        noClasses()
            .that()
            .resideInAPackage("io.rollotel.traces..")
            .should()
            .dependOnClassesThat(
                resideInAnyPackage(
                    "net.bytebuddy..", "io.opentelemetry..", "io.rollotel.telemetry.."))
            .as("traces knows nothing of Byte Buddy or the SDK"),
        roomOfTraces("otlp"),
        roomOfTraces("settings"),
        roomOfTraces("recording", "otlp"),
        roomOfTraces("parquet"),
        roomOfTraces("file", "otlp", "recording", "parquet"),
        roomOfTraces("spans", "otlp"),
        roomOfTraces("partition", "otlp", "recording", "file", "parquet", "spans"),
        roomOfTraces("analysis", "otlp", "recording", "spans"),
        roomOfTraces("profile", "file", "spans", "analysis"),
        roomOfTraces("query", "otlp", "spans", "analysis"),
        roomOfTraces(
            "report",
            "otlp",
            "recording",
            "file",
            "partition",
            "spans",
            "analysis",
            "profile",
            "query"),
        roomOfTraces(
            "page", "otlp", "recording", "file", "spans", "analysis", "profile", "query", "report"),
        roomOfTraces(
            "export", "otlp", "file", "parquet", "spans", "analysis", "profile", "query", "report"),
        noClasses()
            .that()
            .resideOutsideOfPackages("io.rollotel.parquet..", "org.apache.parquet")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.rollotel.parquet..", "org.apache.parquet..")
            .as("Parquet's library lies in a jar of its own, which traces find by a service"),
        noClasses()
            .that()
            .resideOutsideOfPackage("io.rollotel.spark")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.rollotel.spark", "org.apache.spark..", "org.apache.hadoop..")
            .as("Spark is known in its module alone"),
        // From report, the collector needs the options of its live page.
        roomOfTraces("collector", "otlp", "recording", "file", "report", "page", "settings"),
        noClasses()
            .that()
            .resideOutsideOfPackages(
                "io.rollotel.traces.cli..", "io.rollotel.agent..", "io.rollotel.spark")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.rollotel.traces.cli..")
            .as("only the commands of the agent and of Spark know those of traces"),
        noClasses()
            .that()
            .resideInAPackage("io.rollotel.spark")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.rollotel.traces.cli", "io.rollotel.traces.collector..")
            .as("Spark's jar has of the commands only the options that they share"),
        noClasses()
            .that()
            .resideOutsideOfPackages(
                "io.rollotel.agent.weave",
                "io.rollotel.agent.threads",
                "io.rollotel.agent.ray",
                "io.rollotel.agent.correlation")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("net.bytebuddy.jar.asm..")
            .as("ASM lives where classes are woven, and nowhere else"),
        noClasses()
            .should()
            .dependOnClassesThat(
                resideInAPackage("net.bytebuddy..")
                    .and(not(resideInAPackage("net.bytebuddy.jar.asm..")))
                    .and(not(resideInAPackage("net.bytebuddy.agent.."))))
            .as("of Byte Buddy nothing is used but its ASM, and what attaches"),
        noClasses()
            .that()
            .resideOutsideOfPackage("io.rollotel.agent.command")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("net.bytebuddy.agent..", "com.sun.tools.attach..")
            .as("other JVMs are the business of the commands only"),
        noClasses()
            .that()
            .resideOutsideOfPackages(PER_API)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.opentelemetry.sdk..", "io.opentelemetry.exporter..")
            .as("the SDK lives in the rooms that there are once for each copy of the API"),
        noClasses()
            .that()
            .resideOutsideOfPackages(PER_API)
            .and()
            .resideInAPackage("io.rollotel.agent..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(PER_API)
            .as("rooms that there are once for each copy of the API are reached by Tracing alone"),
        classes()
            .that()
            .resideInAnyPackage(OUTER)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(OUTER_SEES)
            .as("what the application's class path sees of the agent uses the JDK alone"),
        classes()
            .that()
            .resideInAPackage("io.rollotel.agent.hook")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.jspecify..", "io.rollotel.agent.hook")
            .as("the hook speaks JDK types only"));
  }

  /** A package of traces may depend only on these other packages of traces. */
  private static ArchRule roomOfTraces(String room, String... known) {
    String[] allowed =
        Stream.concat(Stream.of(room), Stream.of(known))
            .map(name -> "io.rollotel.traces." + name)
            .toArray(String[]::new);
    return noClasses()
        .that()
        .resideInAPackage("io.rollotel.traces." + room)
        .should()
        .dependOnClassesThat(
            resideInAPackage("io.rollotel.traces..").and(not(resideInAnyPackage(allowed))))
        .as("traces." + room + " knows of traces only " + List.of(known));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void house_keepsItsDirections(ArchRule rule) {
    rule.check(HOUSE);
  }
}
