package io.rollotel.agent.weave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.rollotel.agent.Account;
import io.rollotel.agent.MethodList;
import io.rollotel.agent.Stderr;
import io.rollotel.agent.WovenMethod;
import io.rollotel.agent.WovenMethod.Argument;
import io.rollotel.agent.WovenMethod.Use;
import io.rollotel.agent.hook.TraceHook;
import java.io.ObjectStreamClass;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WeaverTest {

  private static final String REGISTER = "Lio/rollotel/annotations/Register;";

  /** Situation in the fixture, and what its calls record. */
  private static final String KINDS =
      """
      privateMethod                        +hidden -hidden
      staticMethod                         +ofClass -ofClass
      privateStaticMethod                  +hiddenOfClass -hiddenOfClass
      finalMethod                          +last -last
      synchronizedMethod                   +locked -locked
      synchronizedStaticMethod             +lockedClass -lockedClass
      synchronizedMethodThatThrows         +lockedAndThrows !lockedAndThrows
      strictfpMethod                       +strict -strict
      genericMethod                        +generic -generic
      varargsMethod                        +varargs -varargs +varargs -varargs
      recursiveMethod                      +factorial +factorial +factorial -factorial -factorial \
      -factorial
      selfInvokedMethods                   +outer +inner -inner +hiddenInner -hiddenInner -outer
      methodReference                      +ofClass -ofClass
      calledByReflection                   +inner -inner
      overriddenMethodThatCallsSuper       +derived +overridden -overridden -derived
      inheritedMethod                      +inherited -inherited
      interfaceDefaultAndStaticMethods     +byDefault +ofFace -ofFace -byDefault
      annotatedInTheInterfaceAlone
      enumMethods                          +mix -mix +mix -mix
      nestedClass                          +ofNested -ofNested
      innerClass                           +ofInner -ofInner
      localClass                           +ofLocal -ofLocal
      anonymousClass                       +call -call
      wideParameters                       +wide -wide
      reassignedParameters                 +reassigned -reassigned
      returnsVoid                          +nothing -nothing
      returnsPrimitives                    +aBoolean -aBoolean +aByte -aByte +aChar -aChar +aShort \
      -aShort +anInt -anInt +aLong -aLong +aFloat -aFloat +aDouble -aDouble
      returnsArray                         +array -array
      returnsNull                          +returnsNullItself -returnsNullItself
      throwsTheSameObject                  +throwsIt !throwsIt +throwsIt !throwsIt +throwsIt \
      !throwsIt
      manyReturnsCatchesAndFinallys        +manyWaysOut -manyWaysOut +manyWaysOut -manyWaysOut \
      +manyWaysOut -manyWaysOut +manyWaysOut -manyWaysOut
      bodyWithLambda                       +lambda -lambda
      lambdaThatCalls                      +inner -inner +hidden -hidden
      bodyThatStartsWithALoop              +loopsBeforeAnythingElse -loopsBeforeAnythingElse
      emptyBody                            +empty -empty
      traceFalse                           +notTraced(untraced) -notTraced(untraced)
      bridgeOfAGenericInterface            +work -work +work -work
      bridgeOfACovariantReturn             +make -make +make -make
      bridgeToAPackagePrivateSuperclass    +visible -visible +visible -visible
      """;

  private static final String NEWER_KINDS =
      """
      recordMethods                        +of -of +sum -sum
      privateInterfaceMethods              +hidden -hidden +hiddenOfClass -hiddenOfClass
      sealedInterface                      +corners -corners +corners -corners
      bodyWithItsOwnInvokedynamic          +concatenated -concatenated
      privateMethodOfANestMate             +hidden -hidden
      """;

  private static final Map<Integer, Map<String, byte[]>> COMPILED = new TreeMap<>();

  private final Recorder recorder = new Recorder();

  @BeforeAll
  static void compileKinds() throws Exception {
    String kinds = Fixtures.resource("Kinds");
    COMPILED.put(8, Fixtures.compile(8, kinds));
    COMPILED.put(17, Fixtures.compile(17, kinds, Fixtures.resource("NewerKinds")));
  }

  @BeforeEach
  void connect() {
    TraceHook.connect(recorder);
  }

  @AfterEach
  void disconnect() {
    TraceHook.connect(null);
  }

  // ---- each kind of method

  @ParameterizedTest(name = "Java {0}: {2}")
  @MethodSource("situations")
  void eachKindOfMethod_isTracedOncePerCallAndWorksAsBefore(
      int release, String className, String situation, String expected) throws Exception {
    FixtureLoader loader = FixtureLoader.weaving(COMPILED.get(release));
    assertThat(holds(loader, className, situation)).isTrue();
    assertThat(String.join(" ", recorder.events)).isEqualTo(expected);
  }

  @ParameterizedTest(name = "Java {0}: {2}")
  @MethodSource("situations")
  void eachKindOfMethod_worksUnwoven(
      int release, String className, String situation, String expected) throws Exception {
    FixtureLoader loader = FixtureLoader.plain(COMPILED.get(release));
    assertThat(holds(loader, className, situation)).isTrue();
    assertThat(recorder.events).isEmpty();
  }

  @Test
  void tableOfSituations_namesAllThereAre() throws Exception {
    FixtureLoader loader = FixtureLoader.plain(COMPILED.get(17));
    List<String> there = new ArrayList<>();
    for (String className : List.of("fixtures.Kinds", "fixtures.NewerKinds")) {
      for (Method method : loader.loadClass(className).getMethods()) {
        if (Modifier.isStatic(method.getModifiers()) && method.getParameterCount() == 0) {
          there.add(method.getName());
        }
      }
    }
    assertThat(situations().map(row -> row.get()[2].toString()).distinct())
        .containsExactlyInAnyOrderElementsOf(there);
  }

  static Stream<Arguments> situations() {
    return Stream.concat(
        Stream.of(8, 17).flatMap(release -> rows(release, "fixtures.Kinds", KINDS)),
        rows(17, "fixtures.NewerKinds", NEWER_KINDS));
  }

  private static Stream<Arguments> rows(int release, String className, String table) {
    return table
        .lines()
        .map(line -> line.strip().split(" +", 2))
        .map(row -> arguments(release, className, row[0], row.length > 1 ? row[1] : ""));
  }

  /** What Kotlin's and Scala's compilers write is told from this by its names: LanguagesIT. */
  @Test
  void methodThatOnlyCallsAnother_isTracedAsWell() throws Exception {
    Map<String, byte[]> classes =
        Fixtures.compile(
            17,
            """
            package fixtures;
            import io.rollotel.annotations.Register;
            public class Facade {
              private static final Inner INNER = new Inner();

              @Register(trace = true)
              public static int work(int n) {
                return INNER.work(n);
              }

              @Register(trace = true)
              public static int other(int n) {
                return work(n);
              }

              static class Inner {
                @Register(trace = true)
                int work(int n) {
                  return n;
                }
              }
            }
            """);
    Class<?> facade = FixtureLoader.weaving(classes).loadClass("fixtures.Facade");

    assertThat(method(facade, "other").invoke(null, 1)).isEqualTo(1);

    assertThat(recorder.events)
        .containsExactly("+other", "+work", "+work", "-work", "-work", "-other");
  }

  // ---- failures inside tracing

  @ParameterizedTest(name = "{0}")
  @MethodSource("brokenTargets")
  void targetThatFails_neverReachesTheCaller(String what, TraceHook.Target broken)
      throws Exception {
    TraceHook.connect(broken);
    FixtureLoader loader = FixtureLoader.weaving(COMPILED.get(17));
    for (Arguments row : situations().filter(row -> row.get()[0].equals(17)).toList()) {
      String className = (String) row.get()[1];
      String situation = (String) row.get()[2];
      assertThat(holds(loader, className, situation)).as(situation).isTrue();
    }
    assertThat(loader.transformed).contains("fixtures.Kinds");
  }

  static Stream<Arguments> brokenTargets() {
    return Stream.of(
        broken("start throws", (type) -> sneaky(new IllegalStateException("linking"))),
        broken("start throws an Error", (type) -> sneaky(new NoClassDefFoundError("sdk"))),
        broken("start gives no handle", (type) -> null),
        broken("handle of another type", (type) -> MethodHandles.constant(int.class, 1)),
        broken("call throws", (type) -> throwing(type, IllegalStateException::new)),
        broken("call throws a checked exception", (type) -> throwing(type, Exception::new)),
        broken("call throws an Error", (type) -> throwing(type, StackOverflowError::new)),
        broken("call is no Call", (type) -> constant(type, "no Call")),
        broken("call is null", (type) -> constant(type, null)),
        broken("end throws", (type) -> constant(type, endThrowing(IllegalStateException::new))),
        broken("end throws checked", (type) -> constant(type, endThrowing(Exception::new))),
        broken("end throws an Error", (type) -> constant(type, endThrowing(Error::new))));
  }

  private static Arguments broken(String what, BrokenStart start) {
    return arguments(
        what,
        new Recorder() {
          @Override
          public MethodHandle start(MethodHandles.Lookup caller, MethodType type, String facts) {
            return start.start(type);
          }
        });
  }

  private interface BrokenStart {
    MethodHandle start(MethodType type);
  }

  private static MethodHandle throwing(MethodType type, Supplier<Throwable> thrown) {
    try {
      MethodHandle make =
          MethodHandles.publicLookup()
              .findVirtual(Supplier.class, "get", MethodType.methodType(Object.class))
              .bindTo(thrown)
              .asType(MethodType.methodType(Throwable.class));
      MethodHandle thrower =
          MethodHandles.filterReturnValue(
              make, MethodHandles.throwException(Object.class, Throwable.class));
      return MethodHandles.dropArguments(thrower, 0, type.parameterList());
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private static MethodHandle constant(MethodType type, Object value) {
    return MethodHandles.dropArguments(
        MethodHandles.constant(Object.class, value), 0, type.parameterList());
  }

  private static TraceHook.Call endThrowing(Supplier<Throwable> supplier) {
    return new TraceHook.Call() {
      @Override
      protected void end(Throwable thrown) {
        sneaky(supplier.get());
      }
    };
  }

  private static MethodHandle sneaky(Throwable thrown) {
    throw WeaverTest.<RuntimeException>cast(thrown);
  }

  @SuppressWarnings("unchecked") // the compiler need not know
  private static <T extends Throwable> T cast(Throwable thrown) throws T {
    throw (T) thrown;
  }

  @Test
  void methodThatThrows_handsItsOwnThrowableToTheEnd() throws Exception {
    Object kinds = newInstance(FixtureLoader.weaving(COMPILED.get(17)), "fixtures.Kinds");
    Throwable thrown = new Exception("mine");
    Method method = method(kinds.getClass(), "throwsIt");

    assertThatThrownBy(() -> method.invoke(kinds, thrown))
        .hasCause(thrown)
        .cause()
        .isSameAs(thrown);
    assertThat(recorder.thrown).singleElement().isSameAs(thrown);
  }

  @Test
  void methodThatOverflowsTheStack_throwsJustThatAndWorksAgain() throws Exception {
    Object kinds = newInstance(FixtureLoader.weaving(COMPILED.get(17)), "fixtures.Kinds");
    Method endless = method(kinds.getClass(), "endless");
    Method inner = method(kinds.getClass(), "inner");
    assertThat(inner.invoke(kinds, 1)).isEqualTo(1);

    assertThatThrownBy(() -> endless.invoke(kinds, 0))
        .isInstanceOf(InvocationTargetException.class)
        .hasCauseExactlyInstanceOf(StackOverflowError.class);

    recorder.events.clear();
    assertThat(inner.invoke(kinds, 2)).isEqualTo(2);
    assertThat(recorder.events).containsExactly("+inner", "-inner");
  }

  // ---- many parameters

  @ParameterizedTest
  @ValueSource(ints = {63, 64, 65, 70, 254})
  void manyCandidates_theFirst64ArePassedOn(int count) throws Exception {
    Map<String, byte[]> classes =
        Fixtures.compile(17, manyParameters("static", "Many", count, "String.valueOf(p0 == p1)"));
    FixtureLoader loader = FixtureLoader.weaving(classes);
    Class<?> many = loader.loadClass("fixtures.Many");
    Object[] values = IntStream.range(0, count).mapToObj(i -> unchecked(many)).toArray();

    assertThat(method(many, "many").invoke(null, values)).isEqualTo("false");

    assertThat(recorder.events).containsExactly("+many", "-many");
    assertThat(recorder.arguments.get(0))
        .containsExactlyElementsOf(Arrays.asList(values).subList(0, Math.min(64, count)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "static"})
  void methodWithAllTheSlotsThereAre_isWoven(String modifier) throws Exception {
    // 127 longs are 254 slots; this or one int more make 255, the JVM's limit.
    String longs =
        IntStream.range(0, 127).mapToObj(i -> "long p" + i).collect(Collectors.joining(", "));
    String parameters = modifier.isEmpty() ? longs : "int first, " + longs;
    FixtureLoader loader =
        FixtureLoader.weaving(
            Fixtures.compile(
                17,
                """
                package fixtures;
                public class Slots {
                  @io.rollotel.annotations.Register(trace = true)
                  public %s long all(%s) {
                    long sum = p0 + p126;
                    for (int i = 0; i < 3; i++) {
                      sum += i;
                    }
                    return sum;
                  }
                }
                """
                    .formatted(modifier, parameters)));
    Object slots = newInstance(loader, "fixtures.Slots");
    List<Object> values = new ArrayList<>();
    if (!modifier.isEmpty()) {
      values.add(0);
    }
    IntStream.range(0, 127).forEach(i -> values.add((long) i));

    assertThat(method(slots.getClass(), "all").invoke(slots, values.toArray())).isEqualTo(129L);
    assertThat(recorder.events).containsExactly("+all", "-all");
  }

  @Test
  void manyWideSpanAttributes_arePassedUnboxed() throws Exception {
    String parameters =
        IntStream.range(0, 100)
            .mapToObj(i -> "@io.rollotel.annotations.SpanAttribute(\"k" + i + "\") double p" + i)
            .collect(Collectors.joining(", "));
    FixtureLoader loader =
        FixtureLoader.weaving(
            Fixtures.compile(
                17,
                """
                package fixtures;
                public class Wide {
                  @io.rollotel.annotations.Register(trace = true)
                  public static double all(%s) {
                    return p0 + p99;
                  }
                }
                """
                    .formatted(parameters)));
    Object[] values = IntStream.range(0, 100).mapToObj(i -> (double) i).toArray();

    assertThat(method(loader.loadClass("fixtures.Wide"), "all").invoke(null, values))
        .isEqualTo(99.0);
    assertThat(recorder.arguments.get(0))
        .containsExactlyElementsOf(Arrays.asList(values).subList(0, 64));
    assertThat(recorder.linked.get(0).arguments().get(63))
        .isEqualTo(new Argument(Use.ATTRIBUTE, "double", "k63"));
  }

  private static String manyParameters(String modifier, String name, int count, String result) {
    String parameters =
        IntStream.range(0, count).mapToObj(i -> name + " p" + i).collect(Collectors.joining(", "));
    return """
        package fixtures;
        public class %s {
          @io.rollotel.annotations.Register(trace = true)
          public %s String many(%s) {
            return %s;
          }
        }
        """
        .formatted(name, modifier, parameters, result);
  }

  // ---- what is passed on

  private static final String FACTS =
      """
      package fixtures;
      import io.rollotel.annotations.*;
      import java.util.*;
      public class Facts {
        public static class Payload {}

        @Register(trace = true, name = "a name\\nof two lines")
        public static String all(
            @MetaInfo Map<String, Object> metaInfo,
            Payload payload,
            int plain,
            @SpanAttribute("batch.size") int size,
            String text,
            @SpanAttribute("the key") Payload both,
            List<Payload> list,
            Payload[] array,
            @SpanAttribute("ratio") double ratio,
            @MetaInfo @SpanAttribute("map") HashMap<String, Object> second) {
          return text;
        }

        @Register(trace = true, name = " ")
        public static void blankName() {}

        @Dispatch
        public static String send(Payload payload, int n, @MetaInfo Map<String, Object> metaInfo) {
          return "sent";
        }

        @Dispatch
        public static void sendThrows() {
          throw new IllegalStateException("mine");
        }

        @Register(trace = true)
        @Dispatch
        public static String both(Payload payload) {
          return "both";
        }
      }
      """;

  @Test
  void registeredMethod_passesOnWhatMatters() throws Exception {
    Class<?> facts = FixtureLoader.weaving(Fixtures.compile(17, FACTS)).loadClass("fixtures.Facts");
    Object payload = newInstance((FixtureLoader) facts.getClassLoader(), "fixtures.Facts$Payload");
    Map<String, Object> metaInfo = new HashMap<>();
    HashMap<String, Object> second = new HashMap<>();
    Object array = Array.newInstance(payload.getClass(), 0);

    Object returned =
        method(facts, "all")
            .invoke(null, metaInfo, payload, 1, 2, "text", payload, List.of(), array, .5, second);

    assertThat(returned).isEqualTo("text");
    assertThat(recorder.linked)
        .singleElement()
        .satisfies(
            method -> {
              assertThat(method.name()).isEqualTo("all");
              assertThat(method.traced()).isTrue();
              assertThat(method.spanName()).isEqualTo("a name of two lines");
              assertThat(method.arguments())
                  .containsExactly(
                      new Argument(Use.META_INFO, "java.util.Map", ""),
                      new Argument(Use.CANDIDATE, "fixtures.Facts$Payload", ""),
                      new Argument(Use.ATTRIBUTE, "int", "batch.size"),
                      new Argument(Use.CANDIDATE, "fixtures.Facts$Payload", ""),
                      new Argument(Use.ATTRIBUTE, "fixtures.Facts$Payload", "the key"),
                      new Argument(Use.CANDIDATES, "fixtures.Facts$Payload", ""),
                      new Argument(Use.CANDIDATES, "fixtures.Facts$Payload", ""),
                      new Argument(Use.ATTRIBUTE, "double", "ratio"),
                      new Argument(Use.META_INFO, "java.util.HashMap", ""),
                      new Argument(Use.ATTRIBUTE, "java.util.HashMap", "map"));
            });
    assertThat(recorder.arguments.get(0))
        .containsExactly(
            metaInfo, payload, 2, payload, payload, List.of(), array, .5, second, second);
    assertThat(recorder.arguments.get(0).get(0)).isSameAs(metaInfo);
  }

  @Test
  void blankName_isTheMethodsOwn() throws Exception {
    FixtureLoader loader = FixtureLoader.weaving(Fixtures.compile(17, FACTS));
    method(loader.loadClass("fixtures.Facts"), "blankName").invoke(null);
    assertThat(recorder.linked.get(0).spanName()).isEqualTo("worker.blankName");
  }

  @Test
  void dispatchedMethod_isToldOnceBeforeItsBody() throws Exception {
    FixtureLoader loader = FixtureLoader.weaving(Fixtures.compile(17, FACTS));
    Class<?> facts = loader.loadClass("fixtures.Facts");
    Object payload = newInstance(loader, "fixtures.Facts$Payload");
    Map<String, Object> metaInfo = new HashMap<>();

    assertThat(method(facts, "send").invoke(null, payload, 1, metaInfo)).isEqualTo("sent");
    assertThatThrownBy(() -> method(facts, "sendThrows").invoke(null))
        .cause()
        .isExactlyInstanceOf(IllegalStateException.class)
        .hasMessage("mine");

    assertThat(recorder.events).containsExactly(">send", ">sendThrows");
    assertThat(recorder.arguments.get(0)).containsExactly(payload, metaInfo);
  }

  @Test
  void methodThatIsBoth_dispatchesInsideItsSpan() throws Exception {
    FixtureLoader loader = FixtureLoader.weaving(Fixtures.compile(17, FACTS));
    Object payload = newInstance(loader, "fixtures.Facts$Payload");
    assertThat(method(loader.loadClass("fixtures.Facts"), "both").invoke(null, payload))
        .isEqualTo("both");
    assertThat(recorder.events).containsExactly("+both", ">both", "-both");
  }

  @Test
  void dispatchThatFails_neverReachesTheCaller() throws Exception {
    TraceHook.connect(
        new Recorder() {
          @Override
          Object dispatched(WovenMethod method, Object[] passed) {
            throw new IllegalStateException("dispatch");
          }
        });
    FixtureLoader loader = FixtureLoader.weaving(Fixtures.compile(17, FACTS));
    assertThat(method(loader.loadClass("fixtures.Facts"), "send").invoke(null, null, 1, null))
        .isEqualTo("sent");
  }

  // ---- what weaving leaves as it was

  @ParameterizedTest
  @ValueSource(ints = {8, 17})
  void wovenClass_hasTheSameMembersAndVersion(int release) throws Exception {
    Map<String, byte[]> classes = COMPILED.get(release);
    FixtureLoader woven = FixtureLoader.weaving(classes);
    FixtureLoader plain = FixtureLoader.plain(classes);
    for (String name : classes.keySet()) {
      assertThat(shape(woven.loadClass(name))).isEqualTo(shape(plain.loadClass(name)));
    }
    for (String name : woven.transformed) {
      byte[] after =
          new Weaver(MethodList.none(), new Account(() -> {})).apply(woven, classes.get(name));
      assertThat(Arrays.copyOf(after, 8)).isEqualTo(Arrays.copyOf(classes.get(name), 8));
    }
    assertThat(woven.transformed).hasSizeGreaterThan(10);
  }

  /** All that reflection tells of a class. */
  private static List<String> shape(Class<?> type) {
    List<String> shape = new ArrayList<>();
    shape.add(type.toGenericString() + Arrays.toString(type.getAnnotations()));
    shape.add(type.getGenericSuperclass() + Arrays.toString(type.getGenericInterfaces()));
    shape.add(Arrays.toString(type.getDeclaredClasses()) + type.getNestHost());
    for (Field field : type.getDeclaredFields()) {
      shape.add(field.toGenericString());
    }
    for (Constructor<?> constructor : type.getDeclaredConstructors()) {
      shape.add(constructor.toGenericString());
    }
    for (Method method : type.getDeclaredMethods()) {
      shape.add(
          method.toGenericString()
              + method.getModifiers()
              + Arrays.toString(method.getAnnotations())
              + Arrays.toString(method.getParameters())
              + Arrays.deepToString(method.getParameterAnnotations()));
    }
    shape.sort(null);
    return shape;
  }

  @Test
  void wovenClass_keepsItsSerialVersionUid() throws Exception {
    Map<String, byte[]> classes =
        Fixtures.compile(
            17,
            """
            package fixtures;
            public class Sent implements java.io.Serializable {
              static final Object CONSTANT = new Object();
              private String field;
              @io.rollotel.annotations.Register(trace = true)
              public String work(String a) {
                Runnable lambda = () -> field = a;
                lambda.run();
                return field;
              }
            }
            """);
    FixtureLoader woven = FixtureLoader.weaving(classes);
    long after = ObjectStreamClass.lookup(woven.loadClass("fixtures.Sent")).getSerialVersionUID();
    long before =
        ObjectStreamClass.lookup(FixtureLoader.plain(classes).loadClass("fixtures.Sent"))
            .getSerialVersionUID();
    assertThat(woven.transformed).containsExactly("fixtures.Sent");
    assertThat(after).isEqualTo(before);
  }

  @Test
  void exceptionOfAWovenMethod_hasTheStackTraceOfTheUnwovenOne() throws Exception {
    assertThat(stackTrace(FixtureLoader.weaving(COMPILED.get(17))))
        .isEqualTo(stackTrace(FixtureLoader.plain(COMPILED.get(17))))
        .hasSize(1);
  }

  private static List<StackTraceElement> stackTrace(FixtureLoader loader) throws Exception {
    Object kinds = newInstance(loader, "fixtures.Kinds");
    try {
      method(kinds.getClass(), "lockedAndThrows").invoke(kinds);
      throw new AssertionError("it throws");
    } catch (InvocationTargetException e) {
      return Arrays.stream(e.getCause().getStackTrace())
          .takeWhile(frame -> !frame.getClassName().contains("reflect"))
          .toList();
    }
  }

  // ---- classes that are left alone

  @Test
  void classWithoutAnnotations_givesNull() throws Exception {
    Map<String, byte[]> classes =
        Fixtures.compile(
            17,
            """
            package fixtures;
            public abstract class None {
              static final String NAME = "Lio/rollotel/annotations/Register;";
              void work() {}
              @io.rollotel.annotations.Register(trace = true) abstract void withoutBody();
              @io.rollotel.annotations.Dispatch native void elsewhere();
              @Deprecated void old(@io.rollotel.annotations.MetaInfo Object o) {}
            }
            """);
    FixtureLoader loader = FixtureLoader.weaving(classes);
    assertThat(
            new Weaver(MethodList.none(), new Account(() -> {}))
                .apply(loader, classes.get("fixtures.None")))
        .isNull();
  }

  @Test
  void abstractAndNativeMethods_doNotCostTheOthers() throws Exception {
    FixtureLoader loader =
        FixtureLoader.weaving(
            Fixtures.compile(
                17,
                """
                package fixtures;
                import io.rollotel.annotations.*;
                public abstract class Partly {
                  @Register(trace = true) abstract int withoutBody();
                  @Register(trace = true) native int elsewhere();
                  @Register(trace = true) int work() { return withoutBody(); }
                  public static class Whole extends Partly {
                    int withoutBody() { return 3; }
                  }
                }
                """));
    Object whole = newInstance(loader, "fixtures.Partly$Whole");
    assertThat(method(whole.getClass().getSuperclass(), "work").invoke(whole)).isEqualTo(3);
    assertThat(recorder.events).containsExactly("+work", "-work");
  }

  @Test
  void loaderThatHidesTheHook_itsClassesAreLeftAloneAndWork() throws Exception {
    ClassLoader hiding =
        new ClassLoader(WeaverTest.class.getClassLoader()) {
          @Override
          protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("io.rollotel.agent.")) {
              throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
          }
        };
    Map<String, byte[]> classes = COMPILED.get(17);
    FixtureLoader loader =
        new FixtureLoader(hiding, classes, new Weaver(MethodList.none(), new Account(() -> {})));

    try (Stderr stderr = new Stderr()) {
      assertThat(holds(loader, "fixtures.Kinds", "privateMethod")).isTrue();
      assertThat(stderr.lines())
          .filteredOn(line -> line.contains("fixtures.Kinds stays untraced"))
          .singleElement()
          .asString()
          .contains("does not see the agent", loader.toString());
    }
    assertThat(loader.transformed).isEmpty();
    assertThat(recorder.events).isEmpty();
  }

  @Test
  void loaderWithAHookOfItsOwn_itsClassesAreLeftAloneAndWork() throws Exception {
    String hook = TraceHook.class.getName();
    Map<String, byte[]> classes = new HashMap<>(COMPILED.get(17));
    classes.put(hook, TraceHook.class.getResourceAsStream("TraceHook.class").readAllBytes());
    FixtureLoader loader =
        new FixtureLoader(
            WeaverTest.class.getClassLoader(),
            classes,
            (self, bytes) ->
                new ClassReader(bytes).getClassName().equals(hook.replace('.', '/'))
                    ? null
                    : new Weaver(MethodList.none(), new Account(() -> {})).apply(self, bytes));
    try (Stderr stderr = new Stderr()) {
      assertThat(holds(loader, "fixtures.Kinds", "privateMethod")).isTrue();
    }
    assertThat(loader.transformed).isEmpty();
  }

  @Test
  void loaderThatHidesTheHook_nothingToWeaveIsNothingToSay() {
    Map<String, byte[]> classes =
        Fixtures.compile(
            17,
            """
            package fixtures;
            public interface Contract {
              @io.rollotel.annotations.Register(trace = true)
              int work();
            }
            """);
    ClassLoader hiding = new ClassLoader(ClassLoader.getPlatformClassLoader()) {};
    try (Stderr stderr = new Stderr()) {
      assertThat(
              new Weaver(MethodList.none(), new Account(() -> {}))
                  .apply(hiding, classes.get("fixtures.Contract")))
          .isNull();
      assertThat(stderr.lines()).isEmpty();
    }
  }

  // ---- incomplete class paths

  @Test
  void typesMissingOnTheClassPath_doNotMatterUntilTheyAreTouched() throws Exception {
    Map<String, byte[]> classes =
        new HashMap<>(
            Fixtures.compile(
                17,
                """
                package fixtures;
                public class Missing extends RuntimeException {
                  public @interface Mark { Class<?> value() default Missing.class; }
                }
                """,
                """
                package fixtures;
                import io.rollotel.annotations.*;
                @Missing.Mark
                public class Incomplete {
                  Missing field;
                  @Missing.Mark
                  @Register(trace = true)
                  public static String one(@Missing.Mark Missing a, int b, Missing[] c, String d) {
                    return d;
                  }
                  @Dispatch
                  public static Missing two(Missing a) {
                    return a;
                  }
                  @Register(trace = true, expected = {Missing.class, Error.class})
                  public static Missing[] three(boolean yes) throws Missing {
                    Missing local = null;
                    if (yes) {
                      local = new Missing();
                    }
                    return null;
                  }
                }
                """,
                // Reflection would resolve the types of all methods at once.
                """
                package fixtures;
                public class Caller {
                  public static String call() {
                    Incomplete.two(null);
                    Incomplete.three(false);
                    return Incomplete.one(null, 1, null, "text");
                  }
                }
                """));
    classes.keySet().removeIf(name -> name.contains("Missing"));
    FixtureLoader loader = FixtureLoader.weaving(classes);

    assertThat(loader.loadClass("fixtures.Caller").getMethod("call").invoke(null))
        .isEqualTo("text");

    assertThat(loader.transformed).containsExactly("fixtures.Incomplete");
    assertThat(recorder.events).containsExactly(">two", "+three", "-three", "+one", "-one");
    assertThat(recorder.linked.get(1).expected())
        .containsExactly("fixtures.Missing", "java.lang.Error");
  }

  // ---- odd class files

  @Test
  void methodTooLargeToBeWoven_doesNotCostTheOthers() throws Exception {
    ClassWriter writer = classWriter(Opcodes.V17, "fixtures/Large");
    method(
        writer,
        "large",
        code -> {
          for (int i = 0; i < 65_530; i++) {
            code.visitInsn(Opcodes.NOP);
          }
        });
    method(writer, "small", code -> {});
    FixtureLoader loader = FixtureLoader.weaving(Map.of("fixtures.Large", writer.toByteArray()));
    Class<?> large;
    try (Stderr stderr = new Stderr()) {
      large = loader.loadClass("fixtures.Large");
      assertThat(stderr.lines())
          .singleElement()
          .asString()
          .contains("fixtures.Large.large stays untraced", "too large");
    }

    method(large, "large").invoke(null);
    method(large, "small").invoke(null);

    assertThat(recorder.events).containsExactly("+small", "-small");
  }

  @Test
  void onlyMethodTooLargeToBeWoven_givesNull() {
    ClassWriter writer = classWriter(Opcodes.V17, "fixtures/Large");
    method(
        writer,
        "large",
        code -> {
          for (int i = 0; i < 65_530; i++) {
            code.visitInsn(Opcodes.NOP);
          }
        });
    FixtureLoader loader = FixtureLoader.plain(Map.of());
    try (Stderr stderr = new Stderr()) {
      assertThat(
              new Weaver(MethodList.none(), new Account(() -> {}))
                  .apply(loader, writer.toByteArray()))
          .isNull();
      assertThat(stderr.lines()).hasSize(1);
    }
  }

  @Test
  void classFileOfJava6_isLeftAlone() {
    ClassWriter writer = classWriter(Opcodes.V1_6, "fixtures/Old");
    method(writer, "work", code -> {});
    FixtureLoader loader = FixtureLoader.plain(Map.of());
    try (Stderr stderr = new Stderr()) {
      assertThat(
              new Weaver(MethodList.none(), new Account(() -> {}))
                  .apply(loader, writer.toByteArray()))
          .isNull();
      assertThat(stderr.lines())
          .singleElement()
          .asString()
          .contains("fixtures.Old stays untraced", "Java 6");
    }
  }

  @Test
  void classFileOfJava7_isWoven() throws Exception {
    ClassWriter writer = classWriter(Opcodes.V1_7, "fixtures/Old");
    method(writer, "work", code -> {});
    FixtureLoader loader = FixtureLoader.weaving(Map.of("fixtures.Old", writer.toByteArray()));
    method(loader.loadClass("fixtures.Old"), "work").invoke(null);
    assertThat(recorder.events).containsExactly("+work", "-work");
  }

  private static ClassWriter classWriter(int version, String name) {
    ClassWriter writer = new ClassWriter(0);
    writer.visit(version, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
    return writer;
  }

  private static void method(ClassWriter writer, String name, Consumer<MethodVisitor> body) {
    MethodVisitor code =
        writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, name, "()V", null, null);
    var annotation = code.visitAnnotation(REGISTER, true);
    annotation.visit("trace", true);
    annotation.visitEnd();
    code.visitCode();
    body.accept(code);
    code.visitInsn(Opcodes.RETURN);
    code.visitMaxs(0, 0);
    code.visitEnd();
  }

  // ----

  private static boolean holds(FixtureLoader loader, String className, String situation)
      throws Exception {
    return (boolean) loader.loadClass(className).getMethod(situation).invoke(null);
  }

  private static Object newInstance(FixtureLoader loader, String className) throws Exception {
    return loader.loadClass(className).getConstructor().newInstance();
  }

  private static Object unchecked(Class<?> type) {
    try {
      return type.getConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private static Method method(Class<?> type, String name) {
    for (Method method : type.getDeclaredMethods()) {
      if (method.getName().equals(name)) {
        method.setAccessible(true);
        return method;
      }
    }
    throw new AssertionError("no " + name + " in " + type);
  }
}
