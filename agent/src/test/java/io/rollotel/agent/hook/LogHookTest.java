package io.rollotel.agent.hook;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LogHookTest {

  private final List<String> warnings = new ArrayList<>();

  @AfterEach
  void disconnect() {
    TraceHook.connect(null);
  }

  /** A target whose current trace is this, or that throws it. */
  private void connect(Object answer) {
    TraceHook.connect(
        (TraceHook.Target)
            Proxy.newProxyInstance(
                TraceHook.Target.class.getClassLoader(),
                new Class<?>[] {TraceHook.Target.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("warn")) {
                    warnings.add((String) arguments[0]);
                    return null;
                  }
                  if (answer instanceof Throwable thrown) {
                    throw thrown;
                  }
                  return answer;
                }));
  }

  @Test
  void insideASpan_fieldsAreCopiedAndCarryIt() {
    connect(new String[] {"trace", "span", "parent"});
    Map<String, String> fields = Map.of("user", "u1");
    assertThat(LogHook.withTrace(fields))
        .isEqualTo(
            Map.of("user", "u1", "trace_id", "trace", "span_id", "span", "traceparent", "parent"));
    assertThat(fields).hasSize(1);
  }

  @Test
  void outsideWithoutAgentOrWhereItFails_fieldsAreTheSame() {
    Map<String, String> fields = Map.of("user", "u1");
    assertThat(LogHook.withTrace(fields)).isSameAs(fields);
    connect(null);
    assertThat(LogHook.withTrace(fields)).isSameAs(fields);
    connect(new LinkageError("for this test"));
    assertThat(LogHook.withTrace(fields)).isSameAs(fields);
    assertThat(warnings).hasSizeLessThan(2);
  }

  @Test
  void fieldsThatAnotherHasStamped_areLeftAlone() {
    connect(new String[] {"trace", "span", "parent"});
    Map<String, String> fields = Map.of("trace_id", "another's");
    assertThat(LogHook.withTrace(fields)).isSameAs(fields);
  }
}
