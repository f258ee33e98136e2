package io.rollotel.it;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.rollotel.annotations.Dispatch;
import io.rollotel.telemetry.Telemetry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A driver that starts its workers, of any language, and hands them what they need. */
public final class StartingDriver {

  private StartingDriver() {}

  /** Takes the payload's file, how many workers there are, and their command. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Map<String, String> environment = Telemetry.workerEnvironment();
    System.out.println("hands on " + environment.keySet());
    Path file = Path.of(arguments[0]);
    Span step = Telemetry.tracer().spanBuilder("pipeline_step").startSpan();
    try (Scope scope = step.makeCurrent()) {
      send(new Payload(), file);
      List<Process> workers = new ArrayList<>();
      for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
        ProcessBuilder worker =
            new ProcessBuilder(List.of(arguments).subList(2, arguments.length)).inheritIO();
        worker.environment().putAll(environment);
        workers.add(worker.start());
      }
      for (Process worker : workers) {
        System.out.println("ended with " + worker.waitFor());
      }
    } finally {
      step.end();
    }
  }

  @Dispatch
  private static void send(Payload payload, Path file) throws IOException {
    Files.writeString(file, Json.text(Map.of("meta_info", payload.getMetaInfo())));
  }
}
