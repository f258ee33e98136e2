package io.rollotel.traces.report;

import static io.rollotel.traces.report.PlantedReports.of;
import static io.rollotel.traces.report.PlantedReports.template;
import static io.rollotel.traces.report.PlantedReports.training;
import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.rollotel.traces.analysis.Finding;
import io.rollotel.traces.kit.Json;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.RandomRequests;
import io.rollotel.traces.otlp.Span;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks the JSON of reports and comparisons against the schema, and the schema against them. */
class ReportSchemaTest extends SituationsFixture {

  private static final String HERE = "https://roll-otel/report.schema.json";
  private static final SchemaRegistry SCHEMAS =
      SchemaRegistry.withDefaultDialect(
          SpecificationVersion.DRAFT_2020_12,
          builder -> builder.schemas(Map.of(HERE, ReportSchema.text())));

  private static final Map<?, ?> ROOT = map(Json.parse(ReportSchema.text()));
  private static final Map<?, ?> DEFINITIONS = map(ROOT.get("$defs"));

  /** Objects that others extend: the extending ones exclude further keys. */
  private static final Set<String> EXTENDED = Set.of("spanKeys", "workerKeys", "matchingKeys");

  private static Map<?, ?> map(Object value) {
    return (Map<?, ?>) value;
  }

  @Test
  void schema_isOneOfItsDialect() {
    Schema dialect = SCHEMAS.getSchema(SchemaLocation.of(ROOT.get("$schema").toString()));
    assertThat(dialect.validate(ReportSchema.text(), InputFormat.JSON)).isEmpty();
  }

  @Tag("campaign")
  @ParameterizedTest
  @EnumSource
  void report_isAsTheSchemaSays(Situation situation) throws Exception {
    String json = json(situation);
    assertThat(json).startsWith("{\"schemaVersion\":1,");
    assertThatJson("report", json);
  }

  @Test
  void comparison_isAsTheSchemaSays() throws Exception {
    comparisons()
        .forEach(
            (situation, json) -> {
              assertThat(json).as(situation).startsWith("{\"schemaVersion\":1,");
              assertThatJson("comparison", json);
            });
  }

  @Test
  void runs_areAsTheSchemaSays() throws Exception {
    assertThatJson("runs", allRuns());
  }

  /** Of two runs with steps and one without. */
  private static String allRuns() throws Exception {
    List<Span> spans = new ArrayList<>(training("first", 12, 1).spans());
    for (String runId : List.of("second", "third")) {
      Planted run = new Planted(runId);
      for (int i = 0; i < 12; i++) {
        long trace = 100L * runId.length() + i;
        run.span(trace, 0, runId.equals("third") ? "request" : "pipeline_step", "d@a", i, i + 9);
      }
      spans.addAll(run.spans());
    }
    StringWriter text = new StringWriter();
    of(spans, template()).allRuns().writeJson(new PrintWriter(text));
    return text.toString();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void reportOnRandomFiles_isAsTheSchemaSays(long seed) throws Exception {
    assertThatJson("report", json(randomFiles(seed)));
  }

  private RunReport randomFiles(long seed) throws Exception {
    RandomRequests random = new RandomRequests(seed);
    Random times = new Random(seed);
    Path file = dir.resolve("traces.jsonl");
    for (int i = 0; i < 200; i++) {
      ExportTraceServiceRequest.Builder request = random.request().toBuilder();
      request.getResourceSpansBuilderList().stream()
          .flatMap(resource -> resource.getScopeSpansBuilderList().stream())
          .flatMap(scope -> scope.getSpansBuilderList().stream())
          .forEach(span -> within(HOUR, times, span));
      PlantedFile.write(file, request.build().toByteArray());
    }
    Files.writeString(dir.resolve("odd.jsonl"), "no JSON at all\n{\"resourceSpans\":[{\"res");
    return RunReport.read(List.of(dir), template());
  }

  /** The sum of hundreds of spans that last centuries does not fit into a long. */
  private static void within(
      long nanos, Random random, io.opentelemetry.proto.trace.v1.Span.Builder span) {
    span.setStartTimeUnixNano(Planted.START + random.nextLong(nanos));
    span.setEndTimeUnixNano(Planted.START + random.nextLong(nanos));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"schemaVersion\":1,\"run\":\"a\",\"against\":\"b\",\"changes\":[],\"newNames\":[]}",
        "{\"schemaVersion\":1,\"run\":\"a\",\"against\":\"b\",\"changes\":[],\"newNames\":[],"
            + "\"goneNames\":[],\"news\":[]}",
        "{\"schemaVersion\":2,\"run\":\"a\",\"against\":\"b\",\"changes\":[],\"newNames\":[],"
            + "\"goneNames\":[]}",
        "{\"schemaVersion\":1,\"run\":\"a\"}",
      })
  void otherJson_isNot(String json) {
    assertThat(SCHEMAS.getSchema(SchemaLocation.of(HERE)).validate(json, InputFormat.JSON))
        .isNotEmpty();
  }

  @Tag("campaign")
  @Test
  void keyOfTheSchema_isWrittenSomewhere() throws Exception {
    Set<String> written = new TreeSet<>();
    for (Situation situation : Situation.values()) {
      written(Json.parse(json(situation)), "", written);
    }
    written(Json.parse(json(randomFiles(1))), "", written);
    comparisons().values().forEach(json -> written(Json.parse(json), "", written));
    written(Json.parse(allRuns()), "", written);
    Set<String> declared = new TreeSet<>();
    for (String kind : List.of("report", "comparison", "runs")) {
      declared(map(DEFINITIONS.get(kind)), "", declared);
    }
    assertThat(written).containsAll(declared);
  }

  @Test
  void object_takesNoOtherKeysAndEachKeyIsDescribedWithItsUnit() {
    DEFINITIONS.forEach((name, definition) -> closed(name.toString(), definition));
  }

  @Test
  void keyOfAReport_isInTheDocumentation() throws Exception {
    String documentation = Files.readString(Path.of("../docs/analysis.md"));
    String keys = documentation.substring(documentation.indexOf("## `--json`"));
    String table = keys.substring(0, keys.indexOf("## `export`"));
    for (String kind : List.of("report", "comparison", "runs")) {
      assertThat(properties(kind).keySet())
          .allSatisfy(key -> assertThat(table).contains("`" + key + "`"));
    }
  }

  @Test
  void findings_areInTheSchemaAndInTheDocumentation() throws Exception {
    Map<?, ?> finding = map(map(properties("report").get("findings")).get("items"));
    Map<?, ?> kind = map(map(finding.get("properties")).get("kind"));
    List<String> kinds = Stream.of(Finding.Kind.values()).map(Finding.Kind::toString).toList();
    assertThat(List.<Object>copyOf((List<?>) kind.get("enum"))).hasSameElementsAs(kinds);
    assertThat(Files.readString(Path.of("../docs/analysis.md")))
        .contains(kinds.stream().map(name -> "`" + name + "`").toList());
  }

  private static Map<?, ?> properties(String definition) {
    return map(map(DEFINITIONS.get(definition)).get("properties"));
  }

  /** Of that kind, and, since the two have nothing in common, of one alone. */
  private static void assertThatJson(String kind, String json) {
    for (String where : List.of("#/$defs/" + kind, "")) {
      assertThat(
              SCHEMAS.getSchema(SchemaLocation.of(HERE + where)).validate(json, InputFormat.JSON))
          .as(json)
          .isEmpty();
    }
  }

  /** Adds the paths of all keys of a document. */
  private static void written(Object value, String path, Set<String> to) {
    if (value instanceof List<?> list) {
      list.forEach(element -> written(element, path + "[]", to));
    } else if (value instanceof Map<?, ?> object) {
      object.forEach(
          (key, element) -> {
            to.add(path + "." + key);
            written(element, path + "." + key, to);
          });
    }
  }

  /** Adds the paths of all keys that a schema names. */
  private static void declared(Map<?, ?> schema, String path, Set<String> to) {
    if (schema.get("$ref") instanceof String reference) {
      declared(definition(reference), path, to);
    }
    if (schema.get("allOf") instanceof List<?> parts) {
      parts.forEach(part -> declared(map(part), path, to));
    }
    if (schema.get("items") instanceof Map<?, ?> items) {
      declared(items, path + "[]", to);
    }
    if (schema.get("properties") instanceof Map<?, ?> properties) {
      properties.forEach(
          (key, property) -> {
            to.add(path + "." + key);
            declared(map(property), path + "." + key, to);
          });
    }
  }

  private static void closed(String path, Object part) {
    if (part instanceof List<?> list) {
      list.forEach(element -> closed(path, element));
    } else if (part instanceof Map<?, ?> schema) {
      if (schema.get("properties") instanceof Map<?, ?> properties) {
        if (!EXTENDED.contains(path)) {
          String others =
              schema.containsKey("allOf") ? "unevaluatedProperties" : "additionalProperties";
          assertThat(schema.get(others)).as(path).isEqualTo(false);
        }
        properties.forEach((key, property) -> described(path + "." + key, map(property)));
      }
      schema.forEach((key, value) -> closed(path + "." + key, value));
    }
  }

  private static void described(String path, Map<?, ?> property) {
    Object description = property.get("description");
    if (description == null && property.get("$ref") instanceof String reference) {
      description = definition(reference).get("description");
    }
    assertThat(description).as(path).isInstanceOf(String.class);
    assertThat(description.toString()).as(path).endsWith(".");
    if (path.toLowerCase(Locale.ROOT).endsWith("nanos")) {
      assertThat(description.toString()).as(path).contains("in nanoseconds");
    }
    if (path.endsWith("share") || path.endsWith("Share")) {
      assertThat(description.toString()).as(path).contains("0 to 1");
    }
  }

  private static Map<?, ?> definition(String reference) {
    return map(DEFINITIONS.get(reference.substring("#/$defs/".length())));
  }
}
