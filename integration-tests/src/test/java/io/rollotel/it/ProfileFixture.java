package io.rollotel.it;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** Programs that are profiled, and what the report says of them. */
abstract class ProfileFixture {

  @TempDir Path directory;

  ProgramRun program(String... arguments) throws IOException {
    return ProgramRun.of(directory, ProfiledProgram.class, arguments)
        .openTelemetry(System.getProperty("opentelemetry.newest"), false)
        .environment("ROLL_OTEL_PROFILE", "on");
  }

  Path output() {
    return directory.resolve("output/otlp");
  }

  List<Path> recordings() throws IOException {
    Path folder = output().resolve("profiles");
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  List<RecordedEvent> events(String type) throws IOException {
    List<RecordedEvent> events = new ArrayList<>();
    for (Path file : recordings()) {
      events.addAll(RecordingFile.readAllEvents(file));
    }
    events.removeIf(event -> !event.getEventType().getName().equals(type));
    return events;
  }

  Result report(String... options) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("report", output().toString()));
    arguments.addAll(List.of(options));
    return ProgramRun.of(directory, ProfiledProgram.class)
        .withoutAgent()
        .withoutEnvironment("ROLL_OTEL_ENABLED")
        .jar(ProgramRun.AGENT, arguments.toArray(new String[0]))
        .run();
  }

  /** The activities in the spans of a name: shares by activity, and by activity and detail. */
  Map<String, Double> shares(String name) throws Exception {
    Map<String, Double> shares = new HashMap<>();
    String json = report("--json").isClean().out();
    try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), json)) {
      while (parser.nextToken() != null && !isField(parser, "profile")) {
        // To the profile.
      }
      while (parser.nextToken() != null && !isField(parser, "names")) {
        // To what was done by name.
      }
      boolean isIt = false;
      double nanos = 0;
      String activity = "";
      String what = "";
      boolean isActivity = false;
      boolean isLine = false;
      for (JsonToken token = parser.nextToken();
          token != null && !isField(parser, "stepsAreTraces");
          token = parser.nextToken()) {
        if (token != JsonToken.PROPERTY_NAME) {
          continue;
        }
        String field = parser.currentName();
        parser.nextToken();
        switch (field) {
          case "name" -> {
            isIt = parser.getString().equals(name);
            nanos = 0;
          }
          case "activity" -> {
            activity = parser.getString();
            isActivity = true;
          }
          case "what" -> what = parser.getString();
          case "line" -> isLine = true;
          case "nanos" -> {
            double value = parser.getDoubleValue();
            if (isLine) {
              isLine = false; // a part of the method's
            } else if (isIt && nanos == 0) {
              nanos = value;
            } else if (isIt && isActivity) {
              shares.merge(activity, value / nanos, Double::sum);
              isActivity = false;
            } else if (isIt) {
              shares.merge(activity + ": " + what, value / nanos, Double::sum);
            }
          }
          default -> {
            // Shares follow from these.
          }
        }
      }
    }
    return shares;
  }

  private static boolean isField(JsonParser parser, String name) {
    return parser.currentToken() == JsonToken.PROPERTY_NAME && name.equals(parser.currentName());
  }
}
