package io.rollotel.processor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.Filer;
import javax.annotation.processing.ProcessingEnvironment;
import javax.annotation.processing.Processor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is written below META-INF/roll-otel, by both compilers. */
class IndexTest {

  private static final String IMPORTS =
      """
      package com.acme;
      import io.rollotel.annotations.*;
      import java.util.*;
      """;

  private static final String WORKER =
      IMPORTS
          + """
          public class Worker<T extends Number> {
            public static class Payload {
              public Map<String, Object> getMetaInfo() { return null; }
              @Register(trace = true, name = "Schritt 一") <N extends Number> Payload[] nested(N[] a, List<N> b) { return null; }
            }
            record Step(int number, Map<String, Object> metaInfo) {
              @Register void plain(Map.Entry<String, int[][]> e, boolean z, byte b, char c, short s,
                  long j, float f, double d) {}
            }
            interface Sends {
              @Dispatch default <P extends Payload & Runnable> P send(P p, int n, Step... steps) { return p; }
            }
            enum Stage { ONE; @Register(trace = true) static void run(@MetaInfo Map<String, ?> m) {} }
            @Register(trace = true) @Dispatch void both(List<? extends Payload> p, @MetaInfo HashMap<String, T> m) {}
            void plain(@SpanAttribute("a") int a) {}
          }
          class Second {
            @Register(trace = true) void alone() {}
          }
          """;

  private static final String WORKER_INDEX =
      """
      roll-otel-index 1
      com.acme.Worker both (Ljava/util/List;Ljava/util/HashMap;)V trace dispatch 0:payloads,1:meta_info worker.both
      com.acme.Worker$Payload nested ([Ljava/lang/Number;Ljava/util/List;)[Lcom/acme/Worker$Payload; trace - - Schritt·一
      com.acme.Worker$Sends send (Lcom/acme/Worker$Payload;I[Lcom/acme/Worker$Step;)Lcom/acme/Worker$Payload; - dispatch 0:payload,2:payloads -
      com.acme.Worker$Stage run (Ljava/util/Map;)V trace - 0:meta_info worker.run
      com.acme.Worker$Step plain (Ljava/util/Map$Entry;ZBCSJFD)V suppress - - -
      """
          .replace(' ', '\t')
          .replace('·', ' ')
          .replace("index\t1", "index 1");

  private static final String OTHER =
      IMPORTS + "class Other { @Register(trace = true) void step(Worker.Payload p) {} }";

  private @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  void everyKindOfMethod_hasTheLineThatTheFormatSays(Compiler compiler) throws Exception {
    compile(compiler, "out", source("Worker", WORKER), source("Plain", "class Plain {}"));
    assertThat(indexes("out"))
        .containsOnlyKeys("com.acme.Worker.idx", "com.acme.Second.idx")
        .containsEntry("com.acme.Worker.idx", WORKER_INDEX);
  }

  @ParameterizedTest
  @EnumSource
  void everyLine_namesAMethodOfTheClassFile(Compiler compiler) throws Exception {
    compile(compiler, "out", source("Worker", WORKER), source("Other", OTHER));
    URL[] classPath = {directory.resolve("out").toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(classPath, getClass().getClassLoader())) {
      for (String index : indexes("out").values()) {
        for (String line : index.lines().skip(1).toList()) {
          String[] fields = line.split("\t", -1);
          assertThat(fields).hasSize(7);
          Class<?> type = Class.forName(fields[0], false, loader);
          assertThat(type.getDeclaredMethods())
              .filteredOn(method -> method.getName().equals(fields[1]))
              .extracting(IndexTest::descriptor)
              .contains(fields[2]);
        }
      }
    }
  }

  @Test
  void processorPathWithoutTheAnnotations_isSaid() throws Exception {
    Path source = Files.writeString(directory.resolve("Plain.java"), "class Plain {}");
    URL processor = RegisterProcessor.class.getProtectionDomain().getCodeSource().getLocation();
    try (URLClassLoader path =
        new URLClassLoader(new URL[] {processor}, ClassLoader.getPlatformClassLoader())) {
      Processor alone =
          (Processor)
              path.loadClass(RegisterProcessor.class.getName()).getConstructor().newInstance();
      assertThat(
              Compiler.JAVAC.compile(directory.resolve("out"), List.of(), List.of(source), alone))
          .containsExactly(
              "0 ERROR: roll-otel's processor does not find the annotations: put the jar of"
                  + " roll-otel-annotations on the processor path, too.");
    }
  }

  @Test
  void bothCompilersTwiceAndInTwoOrders_writeTheSameBytes() throws Exception {
    Path worker = source("Worker", WORKER);
    Path other = source("Other", OTHER);
    List<Map<String, String>> written = new ArrayList<>();
    for (Compiler compiler : Compiler.values()) {
      for (List<Path> order : List.of(List.of(worker, other), List.of(other, worker))) {
        for (int time = 0; time < 2; time++) {
          String output = compiler + "-" + order.indexOf(worker) + "-" + time;
          compile(compiler, output, order.toArray(Path[]::new));
          written.add(indexes(output));
        }
      }
    }
    assertThat(written.get(0)).hasSize(3);
    assertThat(Set.copyOf(written)).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void oneFileCompiledAgain_leavesTheIndexesOfTheOthers(Compiler compiler) throws Exception {
    compile(compiler, "out", source("Worker", WORKER), source("Other", OTHER));
    Map<String, String> before = indexes("out");
    Path changed = source("Other", OTHER.replace(" step(", " leap("));
    compile(compiler, "out", changed);
    Map<String, String> expected = new TreeMap<>(before);
    expected.computeIfPresent(
        "com.acme.Other.idx",
        (name, index) -> index.replace("\tstep\t", "\tleap\t").replace(".step", ".leap"));
    assertThat(indexes("out")).isEqualTo(expected).isNotEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource
  void annotationTakenAway_takesTheIndexAway(Compiler compiler) throws Exception {
    compile(compiler, "out", source("Worker", WORKER), source("Other", OTHER));
    compile(compiler, "out", source("Other", OTHER.replace("@Register(trace = true)", "")));
    assertThat(indexes("out")).containsOnlyKeys("com.acme.Worker.idx", "com.acme.Second.idx");
  }

  @ParameterizedTest
  @EnumSource
  void compilationThatIsRefused_leavesTheIndexesAsTheClassesAre(Compiler compiler)
      throws Exception {
    compile(compiler, "out", source("Worker", WORKER), source("Other", OTHER));
    Map<String, String> before = indexes("out");
    Path refused =
        source(
            "Other",
            OTHER.replace("void step(Worker.Payload p) {}", "native void step(Worker.Payload p);"));
    assertThat(compiler.compile(directory.resolve("out"), List.of(), List.of(refused)))
        .anyMatch(said -> said.endsWith("[roll-otel:native]"));
    assertThat(indexes("out")).isEqualTo(before);
  }

  /** What Gradle asks of an isolating processor. */
  @Test
  void everyFile_hasItsTopLevelClassAsItsOnlyOrigin() throws Exception {
    List<String> origins = new ArrayList<>();
    Compiler.JAVAC.compile(
        directory.resolve("out"),
        List.of(),
        List.of(source("Worker", WORKER), source("Other", OTHER)),
        new WithFiler(origins));
    assertThat(origins)
        .containsExactlyInAnyOrder(
            "META-INF/roll-otel/com.acme.Worker.idx [com.acme.Worker]",
            "META-INF/roll-otel/com.acme.Second.idx [com.acme.Second]",
            "META-INF/roll-otel/com.acme.Other.idx [com.acme.Other]");
    assertThat(
            new String(
                getClass()
                    .getResourceAsStream("/META-INF/gradle/incremental.annotation.processors")
                    .readAllBytes()))
        .isEqualTo(RegisterProcessor.class.getName() + ",isolating\n");
  }

  @ParameterizedTest
  @EnumSource
  void payloadThatAnotherProcessorMakesLater_carries(Compiler compiler) throws Exception {
    Path worker =
        source(
            "Later",
            IMPORTS
                + "class Later extends MadeBase { @Register(trace = true) void step(Made p) {} }");
    assertThat(
            compiler.compile(
                directory.resolve("out"),
                List.of(),
                List.of(worker),
                new RegisterProcessor(),
                new Maker()))
        .noneMatch(said -> said.contains("roll-otel"));
    assertThat(indexes("out").get("com.acme.Later.idx"))
        .contains("step\t(Lcom/acme/Made;)V\ttrace\t-\t0:payload\tworker.step");
  }

  private void compile(Compiler compiler, String output, Path... sources) throws Exception {
    List<String> options =
        List.of(
            "-classpath",
            directory.resolve(output) + File.pathSeparator + System.getProperty("java.class.path"));
    assertThat(compiler.compile(directory.resolve(output), options, List.of(sources)))
        .allMatch(said -> said.contains("WARNING"));
  }

  private Path source(String name, String text) throws IOException {
    Path folder = Files.createDirectories(directory.resolve("src/com/acme"));
    return Files.writeString(folder.resolve(name + ".java"), text);
  }

  private Map<String, String> indexes(String output) throws IOException {
    Map<String, String> indexes = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory.resolve(output).resolve("META-INF/roll-otel"))) {
      for (Path file : files.toList()) {
        indexes.put(file.getFileName().toString(), Files.readString(file));
      }
    }
    return indexes;
  }

  private static String descriptor(Method method) {
    return MethodType.methodType(method.getReturnType(), method.getParameterTypes())
        .descriptorString();
  }

  /** Makes a payload and a superclass in the second round. */
  private static final class Maker extends AbstractProcessor {
    private boolean done;

    @Override
    public Set<String> getSupportedAnnotationTypes() {
      return Set.of("*");
    }

    @Override
    public SourceVersion getSupportedSourceVersion() {
      return SourceVersion.latestSupported();
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
      if (!done) {
        done = true;
        make("Made", "public java.util.Map<String, Object> metaInfo() { return null; }");
        make("MadeBase", "void step(Made p) {}");
      }
      return false;
    }

    private void make(String name, String body) {
      try (var out = processingEnv.getFiler().createSourceFile("com.acme." + name).openWriter()) {
        out.write("package com.acme; class " + name + " {" + body + "}");
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** The processor, with a filer that records requests. */
  private static final class WithFiler extends AbstractProcessor {
    private final RegisterProcessor processor = new RegisterProcessor();
    private final List<String> origins;

    WithFiler(List<String> origins) {
      this.origins = origins;
    }

    @Override
    public synchronized void init(ProcessingEnvironment environment) {
      Filer filer =
          proxy(
              Filer.class,
              environment.getFiler(),
              (name, arguments) -> {
                if (name.equals("createResource")) {
                  origins.add(arguments[2] + " " + Arrays.toString((Element[]) arguments[3]));
                }
                return null;
              });
      processor.init(
          proxy(
              ProcessingEnvironment.class,
              environment,
              (name, arguments) -> name.equals("getFiler") ? filer : null));
    }

    @Override
    public Set<String> getSupportedAnnotationTypes() {
      return processor.getSupportedAnnotationTypes();
    }

    @Override
    public SourceVersion getSupportedSourceVersion() {
      return processor.getSupportedSourceVersion();
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
      return processor.process(annotations, round);
    }

    private static <T> T proxy(
        Class<T> type, T real, BiFunction<String, Object[], Object> instead) {
      return type.cast(
          Proxy.newProxyInstance(
              type.getClassLoader(),
              new Class<?>[] {type},
              (self, method, arguments) -> {
                Object answer = instead.apply(method.getName(), arguments);
                return answer != null ? answer : method.invoke(real, arguments);
              }));
    }
  }
}
