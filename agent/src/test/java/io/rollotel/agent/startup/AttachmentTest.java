package io.rollotel.agent.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rollotel.agent.command.AttachProtocol;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.log.Stderr;
import io.rollotel.agent.settings.TestSettings;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A JVM that lets nothing be done. */
class AttachmentTest {

  private @TempDir Path directory;

  private final Set<String> failing = new HashSet<>();
  private final Instrumentation instrumentation =
      (Instrumentation)
          Proxy.newProxyInstance(
              Instrumentation.class.getClassLoader(),
              new Class<?>[] {Instrumentation.class},
              (proxy, method, arguments) -> {
                if (failing.contains(method.getName())) {
                  throw new IllegalStateException(method.getName());
                }
                return switch (method.getName()) {
                  case "getAllLoadedClasses" -> new Class<?>[0];
                  case "removeTransformer", "isModifiableClass" -> true;
                  default -> null;
                };
              });

  @AfterEach
  void reset() {
    TraceHook.connect(null);
    System.clearProperty(AttachProtocol.ANSWER);
    System.clearProperty(AttachProtocol.TRACING);
  }

  @Test
  void detachThatFails_isFinalAllTheSame() {
    try (Stderr stderr = new Stderr()) {
      RunningAgent running = new Attachment(instrumentation, null).run(arguments());
      assertThat(running).isNotNull();
      failing.add("removeTransformer");
      assertThat(new Attachment(instrumentation, running).run(AttachProtocol.DETACH)).isNull();
      assertThat(System.getProperty(AttachProtocol.ANSWER))
          .startsWith(AttachProtocol.FAILED)
          .contains("removeTransformer");
      assertThat(TraceHook.active()).isFalse();
      assertThat(stderr.lines()).last().asString().contains("removeTransformer");
    }
  }

  @Test
  void startWhoseEndFailsToo_tellsOfTheStart() {
    failing.add("addTransformer");
    failing.add("removeTransformer");
    assertThatThrownBy(() -> RunningAgent.begin(TestSettings.of(arguments()), instrumentation))
        .hasMessage("addTransformer")
        .satisfies(
            failure ->
                assertThat(failure.getSuppressed())
                    .singleElement()
                    .satisfies(second -> assertThat(second).hasMessage("removeTransformer")));
  }

  private String arguments() {
    return "enabled=true,output.dir=" + directory;
  }
}
