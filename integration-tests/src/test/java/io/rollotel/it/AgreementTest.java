package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the processor and the agent both know, each in a list of its own. */
class AgreementTest {

  @ParameterizedTest
  @CsvSource({
    "io.rollotel.processor.Carriers, io.rollotel.agent.weave.WovenMethod, META_INFO_GETTERS",
    "io.rollotel.processor.FutureRule, io.rollotel.agent.weave.Weaver, FUTURES"
  })
  void processorAndAgent_knowTheSame(String ofProcessor, String ofAgent, String name)
      throws Exception {
    assertThat(constant("processor", ofProcessor, name))
        .isEqualTo(constant("agent", ofAgent, name));
  }

  private static Object constant(String module, String className, String name) throws Exception {
    URL[] classes = {Path.of("..", module, "target", "classes").toUri().toURL()};
    try (URLClassLoader loader =
        new URLClassLoader(classes, AgreementTest.class.getClassLoader())) {
      Field field = Class.forName(className, true, loader).getDeclaredField(name);
      field.setAccessible(true);
      return field.get(null);
    }
  }
}
