package io.rollotel.traces.query;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.kit.Json;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Resource;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The queries that the page's script has to understand in the same way. */
class QueryVectorsTest {

  private static final long MILLI = 1_000_000;

  private static final Map<?, ?> VECTORS = read();

  private static final List<Map<?, ?>> SPANS =
      list("spans").stream().filter(span -> !span.containsKey("open")).toList();

  private static Map<?, ?> read() {
    try (InputStream in = QueryVectorsTest.class.getResourceAsStream("query-vectors.json")) {
      return (Map<?, ?>) Json.parse(new String(in.readAllBytes(), UTF_8));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<Map<?, ?>> list(String key) {
    List<Map<?, ?>> maps = new ArrayList<>();
    for (Object one : (List<?>) VECTORS.get(key)) {
      maps.add((Map<?, ?>) one);
    }
    return maps;
  }

  private static List<Named<Map<?, ?>>> queries() {
    List<Named<Map<?, ?>>> named = new ArrayList<>();
    list("queries")
        .forEach(query -> named.add(Named.of(String.valueOf(query.get("query")), query)));
    return named;
  }

  @ParameterizedTest
  @MethodSource("queries")
  void query_findsWhatItSays(Map<?, ?> vector) throws Exception {
    String text = (String) vector.get("query");
    if (vector.get("error") != null) {
      assertThatThrownBy(() -> Query.parse(text))
          .isInstanceOfSatisfying(
              QueryException.class,
              wrong -> {
                assertThat(wrong).hasMessage((String) vector.get("error"));
                assertThat(wrong.at()).isEqualTo(((BigDecimal) vector.get("at")).intValue());
              });
      return;
    }
    List<Object> expected = new ArrayList<>((List<?>) vector.get("matches"));
    expected.remove("open"); // it has not ended, and only the page has it
    assertThat(matches(Query.parse(text))).isEqualTo(expected);
  }

  private static List<Object> matches(Query query) {
    Spans columns =
        new Spans(query.needsContents() ? new SpanTags(new QueryTags(query, null)) : null);
    SPANS.forEach(span -> columns.add(span(span)));
    RunAnalysis run = Planted.analysis(columns, "planted");
    BitSet found = SpanMatches.of(run, query);
    List<Object> ids = new ArrayList<>();
    for (int i = 0; i < SPANS.size(); i++) {
      if (found.get(i)) {
        ids.add(SPANS.get(i).get("id"));
      }
    }
    return ids;
  }

  private static Span span(Map<?, ?> span) {
    Map<String, Object> resource = new HashMap<>();
    Map.of(
            "service", "service.name",
            "instance", "service.instance.id",
            "host", "host.name",
            "pid", "process.pid",
            "rank", "roll.rank")
        .forEach(
            (key, attribute) -> {
              if (span.get(key) != null) {
                resource.put(attribute, span.get(key));
              }
            });
    resource.put("roll.run_id", "planted");
    Map<String, Object> attributes = new LinkedHashMap<>();
    ((Map<?, ?>) span.get("attributes"))
        .forEach((key, value) -> attributes.put((String) key, value(value)));
    String failure = (String) span.get("error");
    return new Span(
        (String) span.get("trace"),
        (String) span.get("span"),
        (String) span.get("parent"),
        (String) span.get("name"),
        1,
        Planted.START + ((BigDecimal) span.get("start")).longValue() * MILLI,
        Planted.START + ((BigDecimal) span.get("end")).longValue() * MILLI,
        attributes,
        failure == null ? 0 : Span.STATUS_ERROR,
        new Resource(resource),
        "",
        failure == null ? "" : failure);
  }

  /** As a file's reader makes them. */
  private static Object value(@Nullable Object json) {
    if (json instanceof BigDecimal number) {
      boolean isLong = number.scale() == 0 && number.precision() <= 18;
      return isLong ? (Object) number.longValueExact() : (Object) number.doubleValue();
    }
    if (json instanceof List<?> list) {
      return list.stream().map(QueryVectorsTest::value).toList();
    }
    if (json instanceof Map<?, ?> map) {
      Map<Object, Object> values = new LinkedHashMap<>();
      map.forEach((key, one) -> values.put(key, value(one)));
      return values;
    }
    return json == null ? "" : json;
  }

  @Test
  void blankQuery_isRefused() {
    assertThatThrownBy(() -> Query.parse(" \t\u00a0"))
        .hasMessage("The query is empty. Write, for example, dur>20ms.");
  }

  @Tag("campaign")
  @Test
  void whateverIsWritten_isAQueryOrRefused() {
    String[] pieces = {
      "name",
      "dur",
      "rank",
      "status",
      "queue",
      "step",
      "trace",
      "span",
      "worker",
      "x.y",
      ":",
      "=",
      "!=",
      ">",
      "<=",
      "\"",
      "\\",
      "*",
      "-",
      " ",
      "OR",
      "AND",
      "1",
      "20ms",
      "error",
      "yes",
      "ä",
      "\ud800",
      "\u0000",
      "toString",
      "[",
      "(",
      ".",
      "e",
      "{}",
      "\n",
      "\ud83d\ude00"
    };
    Random random = new Random(7);
    int queries = 0;
    for (int round = 0; round < 50_000; round++) {
      StringBuilder text = new StringBuilder();
      for (int left = random.nextInt(9); left > 0; left--) {
        text.append(pieces[random.nextInt(pieces.length)]);
      }
      try {
        Query query = Query.parse(text.toString());
        queries++;
        if (round % 50 == 0) {
          matches(query);
        }
      } catch (QueryException wrong) {
        assertThat(wrong.at()).isBetween(0, text.length());
      }
    }
    assertThat(queries).isGreaterThan(10_000);
  }
}
