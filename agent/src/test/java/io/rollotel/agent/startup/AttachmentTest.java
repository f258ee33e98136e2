package io.rollotel.agent.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rollotel.agent.command.AttachProtocol;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.log.Stderr;
import io.rollotel.agent.settings.TestSettings;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A JVM that refuses everything. */
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
          .startsWith(
              AttachProtocol.FAILED
                  + "\ntracing is off, but not all of the agent could be removed: ")
          .contains("removeTransformer");
      assertThat(TraceHook.active()).isFalse();
      assertThat(stderr.lines()).last().asString().contains("removeTransformer");
    }
  }

  @Test
  void startThatFails_isSaidToBeOne() {
    failing.add("addTransformer");
    try (Stderr stderr = new Stderr()) {
      assertThat(new Attachment(instrumentation, null).run(arguments())).isNull();
      assertThat(System.getProperty(AttachProtocol.ANSWER))
          .isEqualTo(
              AttachProtocol.FAILED
                  + "\nthe agent could not be attached, the program runs without it: "
                  + "java.lang.IllegalStateException: addTransformer");
      assertThat(stderr.lines()).hasSize(1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "100%, 100%",
    "100%%, 100%%",
    "5%of, 5%of",
    "5%25of, 5%of",
    "a%2Cb, 'a,b'",
    "a+b%20c, a+b c",
    "50%+%2C, '50%+,'",
    "%C3%A4%, ä%",
    "%GG%2, %GG%2",
  })
  void percentSign_isDecodedWhereItEncodesAndStaysWhereItIsRaw(String given, String folder) {
    try (Stderr stderr = new Stderr()) {
      RunningAgent running = new Attachment(instrumentation, null).run(arguments() + "/" + given);
      assertThat(System.getProperty(AttachProtocol.ANSWER)).startsWith(AttachProtocol.DONE);
      assertThat(running.directory()).isEqualTo(directory + "/" + folder);
      assertThat(new Attachment(instrumentation, running).run(AttachProtocol.DETACH)).isNull();
    }
  }

  /** As where root attaches to another user's process; root itself may write everywhere. */
  @Test
  void outputDirectoryCannotBeWritten_isSaidToWhoeverAttaches() throws Exception {
    Files.createFile(directory.resolve("file"));
    try (Stderr stderr = new Stderr()) {
      RunningAgent running = new Attachment(instrumentation, null).run(arguments() + "/file/otlp");
      assertThat(System.getProperty(AttachProtocol.ANSWER))
          .startsWith(AttachProtocol.DONE + "\ntracing is on")
          .contains("\nthis process cannot write in " + directory + "/file/otlp: detach, and ");
      assertThat(new Attachment(instrumentation, running).run(AttachProtocol.DETACH)).isNull();
      assertThat(stderr.lines()).last().asString().contains("this process cannot write in ");
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
