package io.rollotel.agent.weave;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.weave.WovenMethod.Argument;
import io.rollotel.agent.weave.WovenMethod.Use;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Methods with more parameters than are passed on, and with as many as the JVM allows. */
class WeaverManyParametersTest extends WeaverFixture {

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

  private static Object unchecked(Class<?> type) {
    try {
      return type.getConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
