package io.rollotel.agent.transform;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.Stderr;
import io.rollotel.agent.settings.MethodList;
import io.rollotel.agent.settings.Settings;
import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.Register;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import net.bytebuddy.jar.asm.ClassReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnnotatedClassTransformerTest {

  static class Registered {
    // Longs and doubles take two entries in the constant pool.
    static final long BEFORE = 0x123456789abcdefL;
    static final double AND = 1.23456789;

    @Register(trace = true)
    String work(String a) {
      Runnable lambda = () -> {};
      lambda.run();
      return a + BEFORE + AND;
    }
  }

  static class Dispatched {
    @Dispatch
    void send() {}
  }

  interface Contract {
    @Register
    void work();
  }

  static class OnlyMetaInfo {
    void work(@MetaInfo Map<String, ?> metaInfo) {}
  }

  static class NamesButDoesNotUse {
    Register register;

    @Deprecated
    Class<?> work() {
      return Dispatch.class;
    }
  }

  /** Mockito names the subclasses that it makes like this one, and copies the annotations. */
  static class Spied$MockitoMock$Ab12 extends Registered {
    @Override
    @Register(trace = true)
    String work(String a) {
      return super.work(a);
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {Registered.class, Dispatched.class, Contract.class})
  void annotatedClass_mentions(Class<?> type) throws IOException {
    assertThat(AnnotatedClassTransformer.mentionsAnnotation(bytes(type))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      classes = {OnlyMetaInfo.class, Register.class, Dispatch.class, Test.class, Object.class})
  void otherClass_doesNotMention(Class<?> type) throws IOException {
    assertThat(AnnotatedClassTransformer.mentionsAnnotation(bytes(type))).isFalse();
  }

  @Test
  void classWithAFieldOfTheAnnotationsType_mightMention() throws IOException {
    // The descriptor alone is seen; the weaver then finds nothing to weave.
    assertThat(AnnotatedClassTransformer.mentionsAnnotation(bytes(NamesButDoesNotUse.class)))
        .isTrue();
  }

  @Test
  void classesOfTheJdk_neverMention() throws IOException {
    Path util = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules/java.base/java");
    List<Path> all;
    try (Stream<Path> walk = Files.walk(util)) {
      all = walk.filter(path -> path.toString().endsWith(".class")).toList();
    }
    assertThat(all).hasSizeGreaterThan(1_000);
    for (Path path : all) {
      byte[] bytes = Files.readAllBytes(path);
      assertThat(AnnotatedClassTransformer.mentionsAnnotation(bytes)).as(path.toString()).isFalse();
      assertThat(AnnotatedClassTransformer.mentionsAnnotation(withDescriptor(bytes)))
          .as(path + " with the annotation's descriptor as last constant")
          .isTrue();
    }
  }

  @Test
  void truncatedClass_mentionsOnlyWhatIsThere() throws IOException {
    byte[] whole = bytes(Registered.class);
    int end = indexOf(whole, "Lio/rollotel/annotations/Register;") + 34;
    for (int length = 0; length < whole.length; length++) {
      assertThat(AnnotatedClassTransformer.mentionsAnnotation(Arrays.copyOf(whole, length)))
          .as("%s bytes", length)
          .isEqualTo(length >= end);
    }
  }

  @Test
  void randomBytes_neverThrow() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(300)];
      random.nextBytes(bytes);
      assertThat(AnnotatedClassTransformer.mentionsAnnotation(bytes)).as("seed %s", seed).isFalse();
    }
    byte[] whole = bytes(OnlyMetaInfo.class);
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged = whole.clone();
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      assertThat(AnnotatedClassTransformer.mentionsAnnotation(damaged))
          .as("seed %s", seed)
          .isFalse();
    }
  }

  @Test
  void transformOfAClassWithoutAnnotations_leavesItAlone() throws IOException {
    AnnotatedClassTransformer transformer =
        new AnnotatedClassTransformer(MethodList.none(), new Ledger(), () -> {}, null);
    try (Stderr stderr = new Stderr()) {
      assertThat(transform(transformer, getClass().getClassLoader(), OnlyMetaInfo.class)).isNull();
      assertThat(transform(transformer, null, Registered.class)).isNull();
      assertThat(stderr.lines()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "methods=**[work]"})
  void mockOfMockito_isLeftAlone(String methods) throws IOException {
    MethodList list = Settings.attached(List.of(methods), Map.of()).methods();
    AnnotatedClassTransformer transformer =
        new AnnotatedClassTransformer(list, new Ledger(), () -> {}, null);
    Class<?> mock = Spied$MockitoMock$Ab12.class;
    assertThat(transform(transformer, getClass().getClassLoader(), mock)).isNull();
    assertThat(transformer.concerns(mock, any -> true)).isFalse();
    assertThat(transformer.concerns(Registered.class, any -> true)).isTrue();
  }

  @Test
  void firstClassWithAMethodToWeave_isToldOnce() throws IOException {
    AtomicInteger told = new AtomicInteger();
    AnnotatedClassTransformer transformer =
        new AnnotatedClassTransformer(MethodList.none(), new Ledger(), told::incrementAndGet, null);
    ClassLoader loader = getClass().getClassLoader();
    transform(transformer, loader, OnlyMetaInfo.class);
    transform(transformer, loader, NamesButDoesNotUse.class);
    assertThat(told).hasValue(0);
    assertThat(transform(transformer, loader, Registered.class)).isNotNull();
    assertThat(told).hasValue(1);
    assertThat(transform(transformer, loader, Dispatched.class)).isNotNull();
    assertThat(transform(transformer, loader, Registered.class)).isNotNull();
    assertThat(told).hasValue(1);
  }

  @Test
  void transformThatFails_leavesTheClassAloneAndNamesIt() throws IOException {
    AnnotatedClassTransformer transformer =
        new AnnotatedClassTransformer(MethodList.none(), new Ledger(), () -> {}, null);
    try (Stderr stderr = new Stderr()) {
      byte[] whole = bytes(Registered.class);
      byte[] truncated = Arrays.copyOf(whole, endOfConstants(whole) + 4);
      assertThat(
              transformer.transform(
                  Registered.class.getModule(),
                  getClass().getClassLoader(),
                  Registered.class.getName().replace('.', '/'),
                  null,
                  null,
                  truncated))
          .isNull();
      assertThat(stderr.lines())
          .singleElement()
          .asString()
          .startsWith("[roll-otel] " + Registered.class.getName() + " stays untraced");
    }
  }

  private static byte[] transform(
      AnnotatedClassTransformer transformer, ClassLoader loader, Class<?> type) throws IOException {
    return transformer.transform(
        type.getModule(), loader, type.getName().replace('.', '/'), null, null, bytes(type));
  }

  private static byte[] bytes(Class<?> type) throws IOException {
    String name = type.getName().replace('.', '/') + ".class";
    try (InputStream in = ClassLoader.getSystemResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }

  /** The class file with one more constant, which a wrong walk through the pool does not find. */
  private static byte[] withDescriptor(byte[] bytes) {
    byte[] descriptor = "Lio/rollotel/annotations/Dispatch;".getBytes(StandardCharsets.US_ASCII);
    int end = endOfConstants(bytes);
    byte[] more = new byte[bytes.length + 3 + descriptor.length];
    System.arraycopy(bytes, 0, more, 0, end);
    more[end] = 1;
    more[end + 2] = (byte) descriptor.length;
    System.arraycopy(descriptor, 0, more, end + 3, descriptor.length);
    System.arraycopy(bytes, end, more, end + 3 + descriptor.length, bytes.length - end);
    int count = ((bytes[8] & 0xff) << 8 | bytes[9] & 0xff) + 1;
    more[8] = (byte) (count >> 8);
    more[9] = (byte) count;
    return more;
  }

  /** By a class file reader that is not ours. */
  private static int endOfConstants(byte[] bytes) {
    return new ClassReader(bytes).header;
  }

  private static int indexOf(byte[] bytes, String text) {
    return new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text);
  }
}
