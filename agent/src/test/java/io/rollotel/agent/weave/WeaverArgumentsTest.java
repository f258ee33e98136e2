package io.rollotel.agent.weave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rollotel.agent.weave.WovenMethod.Argument;
import io.rollotel.agent.weave.WovenMethod.Use;
import java.lang.reflect.Array;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which arguments and facts woven code passes on. */
class WeaverArgumentsTest extends WeaverFixture {

  /** One method for each way of passing arguments on. */
  static final String FACTS =
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
}
