package io.rollotel.parquet;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.rollotel.traces.kit.RandomRequests;
import io.rollotel.traces.otlp.JsonLine;
import io.rollotel.traces.otlp.LineTranslator;
import io.rollotel.traces.otlp.RequestEncoder;
import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.parquet.ParquetFormat;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A round trip preserves everything that OTLP has for spans. */
class RoundTripTest {

  /** A span with all that stands around it. */
  private record Row(
      Resource resource,
      String resourceSchemaUrl,
      InstrumentationScope scope,
      String scopeSchemaUrl,
      Span span) {}

  @TempDir Path dir;

  @Test
  void anySpan_isTheSameAfterARoundTrip() throws Exception {
    Path file = dir.resolve("spans.parquet");
    List<Row> written = new ArrayList<>();
    RequestEncoder encoder = new RequestEncoder();
    try (ParquetFormat.Rows rows = ParquetFormat.find().write(Files.newOutputStream(file), null)) {
      for (int seed = 0; seed < 1000; seed++) {
        byte[] line = line(new RandomRequests(seed).request());
        encoder.encode(new ByteArrayInputStream(line), Signal.TRACES);
        rows.add(encoder.bytes(), encoder.length());
        written.addAll(rows(encoder));
      }
      assertThat(rows.size()).isEqualTo(written.size());
    }
    List<Row> read = new ArrayList<>();
    long[] bytes = new long[1];
    try (InputStream in = ParquetFormat.find().read(file, count -> bytes[0] += count);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        encoder.encode(
            new ByteArrayInputStream(line.getBytes(StandardCharsets.UTF_8)), Signal.TRACES);
        read.addAll(rows(encoder));
      }
    }
    assertThat(bytes[0]).isEqualTo(Files.size(file));
    assertThat(read).hasSameSizeAs(written);
    for (int i = 0; i < read.size(); i++) {
      assertThat(read.get(i)).isEqualTo(written.get(i));
    }
  }

  private static byte[] line(ExportTraceServiceRequest request) throws Exception {
    byte[] bytes = request.toByteArray();
    JsonLine line = new JsonLine();
    new LineTranslator(line).translate(Signal.TRACES, bytes, 0, bytes.length);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    line.writeTo(out);
    return out.size() == 0 ? "{}".getBytes(StandardCharsets.UTF_8) : out.toByteArray();
  }

  private static List<Row> rows(RequestEncoder encoder) throws Exception {
    List<Row> rows = new ArrayList<>();
    ExportTraceServiceRequest request =
        ExportTraceServiceRequest.parseFrom(Arrays.copyOf(encoder.bytes(), encoder.length()));
    for (ResourceSpans resource : request.getResourceSpansList()) {
      for (ScopeSpans scope : resource.getScopeSpansList()) {
        for (Span span : scope.getSpansList()) {
          rows.add(
              new Row(
                  resource.getResource(),
                  resource.getSchemaUrl(),
                  scope.getScope(),
                  scope.getSchemaUrl(),
                  span));
        }
      }
    }
    return rows;
  }
}
