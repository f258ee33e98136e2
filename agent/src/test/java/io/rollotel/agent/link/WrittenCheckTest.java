package io.rollotel.agent.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.log.Stderr;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WrittenCheckTest {

  private static final Map<String, Object> KEPT = new HashMap<>();

  enum Payload {
    ITSELF,
    VIEW,
    COPY,
    NONE,
    THROWS
  }

  static @Nullable Map<?, ?> metaInfo(Object payload) {
    return switch ((Payload) payload) {
      case ITSELF -> KEPT;
      case VIEW -> Collections.unmodifiableMap(KEPT);
      case COPY -> new HashMap<String, Object>();
      case NONE -> null;
      case THROWS -> throw new IllegalStateException("not now");
    };
  }

  @ParameterizedTest
  @CsvSource({"ITSELF, 0", "VIEW, 0", "COPY, 1", "NONE, 0", "THROWS, 0"})
  void getterThatReturnsACopy_isSaidOnce(Payload payload, int times) throws Exception {
    KEPT.put("_otel_ctx", Map.of());
    MethodHandle reader =
        MethodHandles.lookup()
            .findStatic(
                WrittenCheckTest.class, "metaInfo", MethodType.methodType(Map.class, Object.class));
    WrittenCheck check = new WrittenCheck(reader, "acme.Job", "acme.Driver.send");
    try (Stderr stderr = new Stderr()) {
      for (int call = 0; call < 3; call++) {
        check.look(payload);
      }
      assertThat(stderr.lines().stream().filter(line -> line.contains("copy"))).hasSize(times);
    }
  }
}
