package io.rollotel.it;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.Register;
import io.rollotel.telemetry.Telemetry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The Java process of a mixed pipeline, whose payloads travel as JSON. */
public final class JsonPayloadWorker {

  private JsonPayloadWorker() {}

  /**
   * Takes {@code driver} or {@code worker}, the payload's file, and how many calls a worker gets.
   */
  public static void main(String[] arguments) throws IOException {
    Path file = Path.of(arguments[1]);
    if (arguments[0].equals("worker")) {
      Payload payload = new Payload();
      payload.getMetaInfo().putAll(Json.map(Json.object(Files.readString(file)).get("meta_info")));
      int calls = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 1;
      for (int i = 1; i < calls; i++) {
        generate(payload);
      }
      System.out.println("step " + generate(payload));
      return;
    }
    Span step = Telemetry.tracer().spanBuilder("pipeline_step").startSpan();
    try (Scope scope = step.makeCurrent()) {
      Payload payload = new Payload();
      payload.getMetaInfo().put("global_step", 7L);
      send(payload, file);
    } finally {
      step.end();
    }
  }

  @Register(trace = true)
  private static Object generate(Payload payload) {
    return payload.getMetaInfo().getOrDefault("global_step", "none");
  }

  @Dispatch
  private static void send(Payload payload, Path file) throws IOException {
    Files.writeString(file, Json.text(Map.of("meta_info", payload.getMetaInfo())));
  }
}
