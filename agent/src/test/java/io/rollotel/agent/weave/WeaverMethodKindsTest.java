package io.rollotel.agent.weave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each kind of method is traced once per call, and works as before. */
class WeaverMethodKindsTest extends WeaverFixture {

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

  @ParameterizedTest(name = "Java {0}: {2}")
  @MethodSource("situations")
  void eachKindOfMethod_isTracedOncePerCallAndWorksAsBefore(
      int release, String className, String situation, String expected) throws Exception {
    FixtureLoader loader = FixtureLoader.weaving(kinds(release));
    assertThat(holds(loader, className, situation)).isTrue();
    assertThat(String.join(" ", recorder.events)).isEqualTo(expected);
  }

  @ParameterizedTest(name = "Java {0}: {2}")
  @MethodSource("situations")
  void eachKindOfMethod_worksUnwoven(
      int release, String className, String situation, String expected) throws Exception {
    FixtureLoader loader = FixtureLoader.plain(kinds(release));
    assertThat(holds(loader, className, situation)).isTrue();
    assertThat(recorder.events).isEmpty();
  }

  @Test
  void tableOfSituations_namesAllThereAre() throws Exception {
    FixtureLoader loader = FixtureLoader.plain(kinds(17));
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

  /**
   * LanguagesIT covers what the compilers of Kotlin and Scala write, which is recognised by its
   * names.
   */
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
}
