package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import net.bytebuddy.jar.asm.ClassReader;
import org.junit.jupiter.api.Test;

/**
 * The project's classes that are found by a name in a text. Neither the compiler nor {@link
 * HouseTest} sees such a dependency, so there are only as many as the class loaders and the JVM
 * need.
 */
class CrossingsTest {

  private static final Pattern OURS =
      Pattern.compile("io[./]rollotel[./](?:agent|telemetry|traces)[./](?:[a-z]+[./])*[A-Z]\\w*");

  private static final int STRING = 8;

  @Test
  void classNamesInTexts_areThoseOfClasses() throws IOException {
    assertThat(named().values().stream().flatMap(Set::stream))
        .allMatch(
            name ->
                Stream.of("agent", "telemetry", "traces")
                    .map(module -> Path.of("..", module, "target/classes", name.replace('.', '/')))
                    .anyMatch(path -> Files.exists(Path.of(path + ".class"))));
  }

  @Test
  void classNamesInTexts_areTheCrossingsAndTheHook() throws IOException {
    assertThat(named())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                // From the application's class path into the agent.
                "io.rollotel.agent.loader.InnerLoader",
                Set.of("io.rollotel.agent.startup.Startup"),
                // From the agent to the classes that each copy of the API has.
                "io.rollotel.agent.api.ApiCopy",
                Set.of("io.rollotel.agent.sdk.SdkTracing"),
                // From doctor to the same, whose SDK judges the OTEL_* settings.
                "io.rollotel.agent.command.OtelCheck",
                Set.of("io.rollotel.agent.sdk.SettingsCheck"),
                // An application may hold telemetry without the agent.
                "io.rollotel.telemetry.internal.AgentLink",
                Set.of("io.rollotel.agent.hook.TraceHook")));
  }

  /** By the class that names them; without the hook's names in the code that is woven. */
  private static Map<String, Set<String>> named() throws IOException {
    Map<String, Set<String>> named = new TreeMap<>();
    for (String module : new String[] {"agent", "telemetry", "traces"}) {
      try (Stream<Path> files = Files.walk(Path.of("..", module, "target", "classes"))) {
        for (Path file :
            (Iterable<Path>) files.filter(file -> file.toString().endsWith(".class"))::iterator) {
          ClassReader reader = new ClassReader(Files.readAllBytes(file));
          String name = reader.getClassName().replace('/', '.');
          for (String text : texts(reader)) {
            Matcher matcher = OURS.matcher(text);
            while (matcher.find()) {
              if (!matcher.group().startsWith("io/rollotel/agent/hook/")) {
                named
                    .computeIfAbsent(name, none -> new TreeSet<>())
                    .add(matcher.group().replace('/', '.'));
              }
            }
          }
        }
      }
    }
    return named;
  }

  private static Set<String> texts(ClassReader reader) {
    Set<String> texts = new TreeSet<>();
    char[] buffer = new char[reader.getMaxStringLength()];
    for (int i = 1; i < reader.getItemCount(); i++) {
      int at = reader.getItem(i); // 0 for the second place of a long or a double
      if (at > 0 && reader.readByte(at - 1) == STRING) {
        texts.add(reader.readUTF8(at, buffer));
      }
    }
    return texts;
  }
}
