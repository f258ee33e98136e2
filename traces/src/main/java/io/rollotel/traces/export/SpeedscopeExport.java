package io.rollotel.traces.export;

import io.rollotel.traces.profile.Frame;
import io.rollotel.traces.report.JsonRows;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/** The JSON that speedscope (speedscope.app) opens: a sampled profile. */
final class SpeedscopeExport {

  private final List<ProfiledStack> stacks;
  private final Map<String, Integer> frames = new LinkedHashMap<>();

  SpeedscopeExport(List<ProfiledStack> all) {
    this.stacks = ProfiledStack.byMethod(all);
    for (ProfiledStack stack : stacks) {
      for (Frame frame : stack.frames()) {
        frames.putIfAbsent(frame.method(), frames.size());
      }
    }
  }

  void write(String name, OutputStream out) {
    try (JsonGenerator generator =
        JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), AttributeJson.utf8(out))) {
      generator.writeStartObject();
      write(name, new JsonRows(generator));
      generator.writeEndObject();
    }
  }

  private void write(String name, JsonRows json) {
    long total = stacks.stream().mapToLong(ProfiledStack::nanos).sum();
    json.put("$schema", "https://www.speedscope.app/file-format-schema.json")
        .put("name", name)
        .put("exporter", "roll-otel")
        .object(
            "shared", () -> json.rows("frames", frames.keySet(), frame -> json.put("name", frame)))
        .rows(
            "profiles",
            List.of(name),
            profile ->
                json.put("type", "sampled")
                    .put("name", profile)
                    .put("unit", "nanoseconds")
                    .put("startValue", 0)
                    .put("endValue", total)
                    .array(
                        "samples",
                        () ->
                            stacks.forEach(
                                stack ->
                                    json.arrayElement(
                                        () ->
                                            stack
                                                .frames()
                                                .forEach(frame -> json.numbers(number(frame))))))
                    .array("weights", () -> stacks.forEach(stack -> json.numbers(stack.nanos()))));
  }

  private int number(Frame frame) {
    return frames.getOrDefault(frame.method(), 0);
  }
}
