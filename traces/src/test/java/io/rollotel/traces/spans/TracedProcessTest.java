package io.rollotel.traces.spans;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.otlp.Resource;
import io.rollotel.traces.otlp.Span;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TracedProcessTest {

  @ParameterizedTest
  @CsvSource({"a:7,b,8,a:7", ",b,8,b:8", ",b,,b", ",,8,8", ",,,''"})
  void process_isKnownByItsIdOrByItsHostAndNumber(
      @Nullable String id, @Nullable String host, @Nullable String pid, String expected) {
    Resource resource = resource(id, host, pid);
    assertThat(new TracedProcess(TracedProcess.key(resource), resource))
        .returns(expected, TracedProcess::instanceId);
  }

  /** Such as opentelemetry-javaagent before 2.0, Node's SDK, and Go's. */
  @Test
  void processesOfSdksThatGiveNoIds_areSeparate() {
    Spans spans = new Spans();
    for (int i = 0; i < 12; i++) {
      spans.add(span(i, resource(null, "node" + i % 2, Integer.toString(i % 3))));
    }
    assertThat(spans.processes()).hasSize(6);
    assertThat(spans.processes().get(spans.process(5)))
        .returns("node1", TracedProcess::host)
        .returns("2", TracedProcess::pid);
  }

  private static Span span(int id, Resource resource) {
    return new Span(
        "0".repeat(31) + "1",
        String.format("%016x", id + 1),
        "",
        "worker.train",
        1,
        1,
        2,
        Map.of(),
        0,
        resource,
        "",
        "");
  }

  private static Resource resource(
      @Nullable String id, @Nullable String host, @Nullable String pid) {
    Map<String, Object> attributes = new HashMap<>(Map.of("service.name", "actor"));
    put(attributes, "service.instance.id", id);
    put(attributes, "host.name", host);
    put(attributes, "process.pid", pid);
    return new Resource(attributes);
  }

  private static void put(Map<String, Object> attributes, String key, @Nullable String value) {
    if (value != null) {
      attributes.put(key, value);
    }
  }
}
