package io.rollotel.agent.weave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.rollotel.agent.hook.TraceHook;
import java.lang.reflect.InvocationTargetException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An application's GlobalOpenTelemetry, woven; the rest of its API is the test's own. */
class WovenGlobalTest {

  private static final String GLOBAL = GlobalOpenTelemetry.class.getName();

  private final RecordingTarget recorder = new RecordingTarget();
  private final OpenTelemetry agents = OpenTelemetrySdk.builder().build();
  private final OpenTelemetry applications =
      OpenTelemetrySdk.builder()
          .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
          .build();
  private Class<?> global;

  @BeforeEach
  void load() throws Exception {
    recorder.openTelemetry = agents;
    TraceHook.connect(recorder);
    byte[] bytes =
        GlobalOpenTelemetry.class.getResourceAsStream("GlobalOpenTelemetry.class").readAllBytes();
    byte[] wrapper =
        GlobalOpenTelemetry.class
            .getResourceAsStream("GlobalOpenTelemetry$ObfuscatedOpenTelemetry.class")
            .readAllBytes();
    global =
        FixtureLoader.weaving(Map.of(GLOBAL, bytes, GLOBAL + "$ObfuscatedOpenTelemetry", wrapper))
            .loadClass(GLOBAL);
  }

  @AfterEach
  void disconnect() {
    TraceHook.connect(null);
  }

  @Test
  void unsetGlobal_isTheAgentsAndStaysUnset() throws Exception {
    assertThat(get()).isSameAs(agents);
    assertThat(get()).isSameAs(agents);
    assertThat(recorder.set).isEmpty();
  }

  @Test
  void applicationSetsAfterGet_isAcceptedAndWins() throws Exception {
    get();
    set(applications);
    assertThat(get().getPropagators()).isSameAs(applications.getPropagators());
    assertThat(recorder.set).containsExactly(global);
  }

  @Test
  void applicationSetsTwice_throwsAsWithoutAgent() throws Exception {
    set(applications);
    assertThatThrownBy(() -> set(agents))
        .isInstanceOf(InvocationTargetException.class)
        .hasCauseInstanceOf(IllegalStateException.class);
    assertThat(recorder.set).containsExactly(global);
    assertThat(get().getPropagators()).isSameAs(applications.getPropagators());
  }

  @Test
  void agentHasNothingToGive_globalIsAsWithoutAgent() throws Exception {
    recorder.openTelemetry = null;
    assertThat(get().getTracer("t").spanBuilder("s").startSpan().isRecording()).isFalse();
  }

  @Test
  void agentGivesNonsense_globalIsAsWithoutAgent() throws Exception {
    TraceHook.connect(
        new RecordingTarget() {
          @Override
          public Object openTelemetry(Class<?> globalOpenTelemetry) {
            throw new IllegalStateException("agent");
          }

          @Override
          public void openTelemetrySet(Class<?> globalOpenTelemetry) {
            throw new IllegalStateException("agent");
          }
        });
    set(applications);
    assertThat(get().getPropagators()).isSameAs(applications.getPropagators());
  }

  private OpenTelemetry get() throws Exception {
    return (OpenTelemetry) global.getMethod("get").invoke(null);
  }

  private void set(OpenTelemetry openTelemetry) throws Exception {
    global.getMethod("set", OpenTelemetry.class).invoke(null, openTelemetry);
  }
}
