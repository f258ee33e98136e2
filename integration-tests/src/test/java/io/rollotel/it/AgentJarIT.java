package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ApiLinks;
import io.rollotel.it.kit.JarClasses;
import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.ProgramRun;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.commons.ClassRemapper;
import net.bytebuddy.jar.asm.commons.Remapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The shape of the one file that is deployed. */
class AgentJarIT {

  private static final Map<String, byte[]> CLASSES = read();

  private static Map<String, byte[]> read() {
    try {
      return JarClasses.read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * What the agent's SDK refers to but the oldest API lacks, and why that does no harm. Anything
   * else means that this version of the SDK no longer supports the range.
   */
  private static final Map<String, String> HARMLESS_GAPS =
      Map.of(
          "io/opentelemetry/api/GlobalOpenTelemetry.getOrNoop()Lio/opentelemetry/api/OpenTelemetry;",
          "the exporters' default for their own metrics; SpanExporters sets another",
          "io/opentelemetry/api/GlobalOpenTelemetry.set(Ljava/util/function/Supplier;)V",
          "autoconfiguration that registers a global; ours does not",
          "io/opentelemetry/api/internal/ImmutableKeyValuePairs.getData()[Ljava/lang/Object;",
          "metrics with views; the agent registers none",
          "io/opentelemetry/api/metrics/DoubleHistogramBuilder"
              + ".setExplicitBucketBoundariesAdvice(Ljava/util/List;)"
              + "Lio/opentelemetry/api/metrics/DoubleHistogramBuilder;",
          "CallDurations, which then does without; and the exporters' metrics of their own");

  @Test
  void classPath_seesTheDoorAndTheHookAlone() throws IOException {
    try (JarFile jar = new JarFile(ProgramRun.AGENT.toFile())) {
      Set<String> folders =
          jar.stream()
              .map(JarEntry::getName)
              .filter(name -> name.endsWith(".class") && !name.startsWith("inner/"))
              .map(name -> name.substring(0, name.lastIndexOf('/')))
              .collect(Collectors.toCollection(TreeSet::new));
      assertThat(folders)
          .containsExactly(
              "io/rollotel/agent", "io/rollotel/agent/hook", "io/rollotel/agent/loader");

      Set<String> tops =
          jar.stream()
              .map(entry -> entry.getName().split("/")[0])
              .collect(Collectors.toCollection(TreeSet::new));
      assertThat(tops).containsExactly("META-INF", "inner", "io");
    }
  }

  @Test
  void inner_holdsNoByteBuddyUnderItsOwnNameAndNoHeavyClient() throws IOException {
    try (JarFile jar = new JarFile(ProgramRun.AGENT.toFile())) {
      assertThat(Stream.concat(jar.stream().map(JarEntry::getName), CLASSES.keySet().stream()))
          .noneMatch(name -> name.contains("net/bytebuddy"))
          .noneMatch(name -> name.contains("okhttp") || name.matches("(inner/)?kotlin/.*"))
          .noneMatch(name -> name.endsWith(".so") || name.endsWith(".dll"))
          .noneMatch(name -> name.startsWith("inner/META-INF/versions"));
    }
  }

  @Test
  void inner_holdsOfByteBuddyItsAsmAndWhatAttaches() {
    assertThat(CLASSES.keySet())
        .filteredOn(name -> name.contains("rollotel/bytebuddy/"))
        .isNotEmpty()
        .allMatch(name -> name.matches(".*rollotel/bytebuddy/(jar/asm|agent)/.*"));
  }

  /** By a class of their own package: what a name in a text means. */
  private static final Map<String, String> NAMED_AND_NOT_THERE =
      Map.of(
          "io/grpc/IS_PETIOLE_POLICY",
          "the name of an attribute",
          "io/grpc/internal/CALL_OPTIONS_RPC_OWNED_BY_BALANCER",
          "the name of an attribute",
          "io/netty/resolver/HostsFileEntriesProvider$ParserImpl",
          "for BlockHound, which is the application's",
          "io/rollotel/absent/jfr/Event",
          "Flight Recorder, which Netty is not to start",
          "io/rollotel/absent/jfr/FlightRecorder",
          "Flight Recorder, which Netty is not to start");

  @Test
  void classes_findAllThatWasLeftIn() {
    Set<String> packages =
        CLASSES.keySet().stream()
            .map(name -> name.substring(0, name.lastIndexOf('/')))
            .collect(Collectors.toSet());
    Map<String, String> missing = new TreeMap<>();
    CLASSES.forEach(
        (name, bytes) -> {
          if (!name.endsWith("/package-info")) { // whose annotations nobody reads
            for (String named : named(bytes)) {
              if (named.matches(".*/[A-Z][^/]*")
                  && packages.contains(named.substring(0, named.lastIndexOf('/')))
                  && !CLASSES.containsKey(named)) {
                missing.put(named, name);
              }
            }
          }
        });
    missing.keySet().removeAll(NAMED_AND_NOT_THERE.keySet());
    assertThat(missing).as("named by class or text, and cut away, by whom").isEmpty();
  }

  /** The classes that a class needs, and those whose names are among its texts. */
  private static Set<String> named(byte[] bytes) {
    Set<String> named = new TreeSet<>();
    new ClassReader(bytes)
        .accept(
            new ClassRemapper(
                new ClassVisitor(Opcodes.ASM9) {},
                new Remapper(Opcodes.ASM9) {
                  @Override
                  public String map(String internalName) {
                    named.add(internalName);
                    return internalName;
                  }

                  @Override
                  public Object mapValue(Object value) {
                    if (value instanceof String text && text.matches("[\\w$]+([./][\\w$]+)+")) {
                      named.add(text.replace('.', '/'));
                    }
                    return super.mapValue(value);
                  }
                }),
            ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    return named;
  }

  @Test
  void libraries_logThroughTheAgentAndFindAllThatTheyCallThere() {
    Set<String> members = new TreeSet<>();
    new ClassReader(CLASSES.get(LOGGER))
        .accept(
            new ClassVisitor(Opcodes.ASM9) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String name, String descriptor, String signature, String[] thrown) {
                members.add(name + descriptor);
                return null;
              }
            },
            ClassReader.SKIP_CODE);
    Set<String> called = new TreeSet<>();
    for (byte[] bytes : CLASSES.values()) {
      collectCallsOfTheLogger(new ClassReader(bytes), called);
    }
    assertThat(called).as("grpc-java's and Netty's among them").hasSizeGreaterThan(8);
    assertThat(members).containsAll(called);
  }

  private static final String LOGGER = "io/rollotel/agent/log/LibraryLogger";

  private static void collectCallsOfTheLogger(ClassReader reader, Set<String> called) {
    reader.accept(
        new ClassVisitor(Opcodes.ASM9) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] thrown) {
            return new MethodVisitor(Opcodes.ASM9) {
              @Override
              public void visitMethodInsn(
                  int opcode, String owner, String member, String type, boolean ofInterface) {
                if (owner.equals(LOGGER)) {
                  called.add(member + type);
                }
              }
            };
          }
        },
        ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
  }

  /** The names of libraries in the notice, by the beginning of their classes' names. */
  private static final Map<String, String> LIBRARIES =
      Map.ofEntries(
          Map.entry("android/", "Android annotations"),
          Map.entry("com/datadoghq/sketch/", "sketches-java (sketches)"),
          Map.entry("com/google/common/", "Guava"),
          Map.entry("com/google/errorprone/annotations/", "Error Prone annotations"),
          Map.entry("com/google/gson/", "Gson"),
          Map.entry("com/google/j2objc/annotations/", "J2ObjC annotations"),
          Map.entry("io/grpc/", "gRPC-Java (grpc)"),
          Map.entry("io/netty/", "Netty (netty)"),
          Map.entry("io/opentelemetry/", "OpenTelemetry for Java"),
          Map.entry("io/perfmark/", "PerfMark (perfmark)"),
          Map.entry("io/rollotel/", "roll-otel for Java"),
          Map.entry("io/rollotel/bytebuddy/", "Byte Buddy (byte-buddy)"),
          Map.entry("javax/annotation/", "JSR-305 annotations"),
          Map.entry("org/codehaus/mojo/animal_sniffer/", "Animal Sniffer Annotations: MIT License"),
          Map.entry("picocli/", "picocli"),
          Map.entry("tools/jackson/core/", "Jackson (jackson)"));

  @Test
  void everyLibraryInTheJar_isInTheNoticeAndHasItsLicenseInIt() throws IOException {
    assertThat(JarClasses.owners(CLASSES.keySet(), LIBRARIES.keySet()))
        .isEqualTo(LIBRARIES.keySet());
    try (JarFile jar = new JarFile(ProgramRun.AGENT.toFile())) {
      String notice =
          new String(
              jar.getInputStream(jar.getEntry("META-INF/NOTICE")).readAllBytes(),
              StandardCharsets.UTF_8);
      LIBRARIES
          .values()
          .forEach(
              library -> assertThat(notice.lines()).anyMatch(line -> line.startsWith(library)));
      Set<String> folders =
          jar.stream()
              .map(JarEntry::getName)
              .filter(name -> name.startsWith("META-INF/licenses/"))
              .map(name -> name.split("/")[2])
              .collect(Collectors.toCollection(TreeSet::new));
      Set<String> noted =
          Pattern.compile("\\(([a-z-]+)\\)$", Pattern.MULTILINE)
              .matcher(notice)
              .results()
              .map(found -> found.group(1))
              .collect(Collectors.toCollection(TreeSet::new));
      assertThat(noted).isEqualTo(folders);
      assertThat(jar.getEntry("META-INF/LICENSE")).isNotNull();
    }
  }

  /** Of the jars that include nothing else; {@code jar} packs this folder. */
  @ParameterizedTest
  @ValueSource(strings = {"annotations", "processor", "telemetry", "traces"})
  void otherJars_haveTheLicense(String module) {
    Path packed = ProgramRun.ROOT.resolve(module + "/target/classes/META-INF/LICENSE");
    assertThat(packed).hasSameTextualContentAs(ProgramRun.ROOT.resolve("LICENSE"));
  }

  @Test
  void manifest_isAnAgentsAndACommands() throws IOException {
    try (JarFile jar = new JarFile(ProgramRun.AGENT.toFile())) {
      Attributes manifest = jar.getManifest().getMainAttributes();
      assertThat(manifest.getValue("Premain-Class")).isEqualTo("io.rollotel.agent.Agent");
      assertThat(manifest.getValue("Agent-Class")).isEqualTo("io.rollotel.agent.Agent");
      assertThat(manifest.getValue("Main-Class")).isEqualTo("io.rollotel.agent.Main");
      assertThat(manifest.getValue("Can-Retransform-Classes")).isEqualTo("true");
    }
  }

  /** As an upgrade does that copies a new jar over the old one. */
  @Test
  void jarThatIsOverwrittenMeanwhile_leavesTheProgramAlone(@TempDir Path directory)
      throws Exception {
    Path jar = Files.copy(ProgramRun.AGENT, directory.resolve("agent.jar"));
    ProgramRun program =
        ProgramRun.of(directory, SteadyWorker.class, "100")
            .withoutAgent()
            .jvmOptions("-javaagent:" + jar);
    try (LiveProgram running = program.start()) {
      running.await("= ready");
      while (running.ask("how many").equals("0")) {
        Thread.onSpinWait(); // until the first call has begun tracing
      }
      Files.write(jar, new byte[1_000]);
      running.ask("stop");

      assertThat(running.end()).allMatch(line -> line.startsWith("[roll-otel] "));
    }
  }

  @Test
  void jar_isSmall() throws IOException {
    assertThat(Files.size(ProgramRun.AGENT)).isLessThan(12_000_000);
  }

  /** Each JVM with the agent reads all of their names, traced or not. */
  @Test
  void jar_hasFewEntries() throws IOException {
    try (JarFile jar = new JarFile(ProgramRun.AGENT.toFile())) {
      assertThat(jar.size()).isLessThan(400);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Agent", "NotEnabled"})
  void door_isByteCodeOfJava8(String name) throws IOException {
    try (JarFile jar = new JarFile(ProgramRun.AGENT.toFile());
        InputStream in = jar.getInputStream(jar.getEntry("io/rollotel/agent/" + name + ".class"));
        DataInputStream data = new DataInputStream(in)) {
      data.readInt();
      data.readUnsignedShort();
      assertThat(data.readUnsignedShort()).isEqualTo(52);
    }
  }

  @Test
  void sdk_linksWithTheOldestAndTheNewestApi() throws IOException {
    for (String version :
        List.of(
            System.getProperty("opentelemetry.oldest"),
            System.getProperty("opentelemetry.newest"))) {
      Set<String> missing = new ApiLinks(version).missing(CLASSES);
      missing.removeAll(HARMLESS_GAPS.keySet());
      assertThat(missing).as("API " + version).isEmpty();
    }
  }
}
