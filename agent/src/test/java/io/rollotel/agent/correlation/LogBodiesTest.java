package io.rollotel.agent.correlation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.weave.ClassRewriter;
import io.rollotel.agent.weave.FixtureLoader;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import net.bytebuddy.jar.asm.ClassReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LogBodiesTest {

  /** As Logback's, but it gives another map each time. */
  public static class LoggingEvent implements Supplier<Map<String, String>> {

    @SuppressWarnings("FieldCanBeFinal") // the woven code writes it
    private Map<String, String> mdcPropertyMap;

    private int calls;

    public Map<String, String> getMDCPropertyMap() {
      calls++;
      if (calls % 2 == 0) {
        return Map.of("call", "even");
      }
      return Map.of("call", Integer.toString(calls));
    }

    @Override
    public Map<String, String> get() {
      return mdcPropertyMap;
    }
  }

  @AfterEach
  void disconnect() {
    TraceHook.connect(null);
  }

  @Test
  void fieldsOfAnEvent_areWrittenByTheFirstCallAlone() throws Exception {
    TraceHook.connect(
        (TraceHook.Target)
            Proxy.newProxyInstance(
                TraceHook.Target.class.getClassLoader(),
                new Class<?>[] {TraceHook.Target.class},
                (proxy, method, arguments) -> new String[] {"trace", "span", "parent"}));
    Supplier<?> event = (Supplier<?>) woven().getConstructor().newInstance();
    Map<String, String> stamped =
        Map.of("call", "1", "trace_id", "trace", "span_id", "span", "traceparent", "parent");
    assertThat(fields(event)).isEqualTo(stamped);
    assertThat(event.get()).isEqualTo(stamped);
    assertThat(fields(event)).isEqualTo(Map.of("call", "even"));
    assertThat(fields(event)).isEqualTo(Map.of("call", "3"));
    assertThat(event.get()).isEqualTo(stamped);
  }

  private static Object fields(Object event) throws Exception {
    return event.getClass().getMethod("getMDCPropertyMap").invoke(event);
  }

  private static Class<?> woven() throws Exception {
    String name = LoggingEvent.class.getName();
    byte[] bytes;
    try (InputStream in =
        LoggingEvent.class.getResourceAsStream("LogBodiesTest$LoggingEvent.class")) {
      bytes = in.readAllBytes();
    }
    FixtureLoader loader =
        new FixtureLoader(
            LogBodiesTest.class.getClassLoader(),
            Map.of(name, bytes),
            (self, plain) ->
                ClassRewriter.rewrite(new ClassReader(plain), List.of(LogBodies.place(name, true)))
                    .bytes());
    return loader.loadClass(name);
  }
}
