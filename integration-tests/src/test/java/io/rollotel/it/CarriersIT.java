package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every kind of carrier, under the shipped jar: one run, and what became of each of its calls. */
class CarriersIT {

  private static @TempDir Path directory;
  private static Result result;

  /** By the case that a span names; as they are in the file, with their links. */
  private static final Map<String, List<Map<String, Object>>> TAKES = new HashMap<>();

  private static final Map<String, Map<String, Object>> RELAYS = new HashMap<>();

  @BeforeAll
  static void run() throws Exception {
    result = ProgramRun.of(directory, CarriersWorker.class).run();
    for (Map<String, Object> span : spansAsTheyAre(directory)) {
      String name = attribute(span, "case");
      if (span.get("name").equals("worker.relay")) {
        RELAYS.put(name, span);
      } else {
        TAKES.computeIfAbsent(name, n -> new ArrayList<>()).add(span);
      }
    }
  }

  @Test
  void program_runsAsIfNobodyTraced() {
    result.isCleanBut(
        "a payload's meta_info cannot be written",
        "_otel_ctx holds no valid trace context",
        "CarriersWorker is traced, but was compiled without roll-otel's annotation processor",
        "2 classes were compiled without roll-otel's processor");
    assertThat(result.lines()).last().isEqualTo("done");
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          # case                           | parent     | links
          map                              | 1          |
          HashMap                          | 1          |
          ConcurrentHashMap                | 1          |
          TreeMap                          | 1          |
          declared as Object               | 1          |
          unmodifiable map                 | 1          |
          immutable map                    | 1          |
          null map                         | suppressed |
          map without key                  | suppressed |
          meta_info that is none           | suppressed |

          getMetaInfo                      | 1          |
          MetaInfoCarrier                  | 1          |
          declared as MetaInfoCarrier      | 1          |
          record                           | 1          |
          getMeta_info                     | 1          |
          record with meta_info            | 1          |
          inherited                        | 1          |
          generic                          | 1          |
          type variable                    | 1          |
          returns HashMap                  | 1          |
          interface default                | 1          |
          static getter first              | 1          |
          declared by a hidden class       | 1          |
          declared by a hidden interface   | 1          |
          null payload                     | suppressed |
          payload without map              | suppressed |

          # no carriers: a method without payload
          static getter                    | root       |
          getter of text                   | root       |
          getter with a parameter          | root       |
          protected getter                 | root       |
          collection                       | root       |
          ArrayList                        | root       |
          map without annotation           | root       |
          no parameter                     | root       |

          list                             | 1          |
          list of a subtype                | 1          |
          list of a type variable          | 1          |
          array                            | 1          |
          list of three                    | 1          | 2 3
          array of three                   | 1          | 2 3
          varargs                          | 1          | 2
          list sent by two                 | 1          | 2
          list with one that has no key    | 1          | 2
          list whose first has no key      | suppressed |
          list with nulls                  | 1          | 2
          list of nulls                    | suppressed |
          empty list                       | suppressed |
          null list                        | suppressed |
          empty array                      | suppressed |
          two                              | 1          | 2
          two, first null                  | 2          |
          two, second null                 | 1          |
          two of one sender                | 1          |
          two, first without key           | suppressed |
          two, first empty                 | root       | 2
          two nulls                        | suppressed |
          list and map                     | 1          | 2 3
          empty list and map               | 3          |
          """,
      delimiter = '|')
  void carrier_givesParentAndLinks(String name, String parent, String links) {
    if (parent.equals("suppressed")) {
      assertThat(TAKES).doesNotContainKey(name);
      return;
    }
    assertThat(TAKES.get(name)).hasSize(1);
    Map<String, Object> span = TAKES.get(name).get(0);
    if (parent.equals("root")) {
      assertThat(span.getOrDefault("parentSpanId", "")).isEqualTo("");
    } else {
      assertThat(span).containsEntry("traceId", traceId(parent));
      assertThat(span).containsEntry("parentSpanId", spanId(parent));
    }
    List<String> linked =
        Json.maps(span.get("links")).stream()
            .map(link -> link.get("traceId") + "-" + link.get("spanId"))
            .toList();
    List<String> expected = new ArrayList<>();
    for (String link : links == null ? new String[0] : links.split(" ")) {
      expected.add(traceId(link) + "-" + spanId(link));
    }
    assertThat(linked).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "map, 1",
    "HashMap, 1",
    "ConcurrentHashMap, 1",
    "TreeMap, 1",
    "declared as Object, 1",
    "getMetaInfo, 1",
    "MetaInfoCarrier, 1",
    "declared as MetaInfoCarrier, 1",
    "record, 1",
    "getMeta_info, 1",
    "record with meta_info, 1",
    "inherited, 1",
    "generic, 1",
    "type variable, 1",
    "returns HashMap, 1",
    "interface default, 1",
    "static getter first, 1",
    "declared by a hidden class, 1",
    "declared by a hidden interface, 1",
    "list, 1",
    "list of a subtype, 1",
    "list of a type variable, 1",
    "array, 1",
    "two, 2",
    "long list, 1",
  })
  void dispatch_replacesTheStaleContextByItsOwn(String kind, int receivers) {
    Map<String, Object> sender = RELAYS.get("sent: " + kind);
    assertThat(TAKES.get("sent: " + kind))
        .hasSize(receivers)
        .allSatisfy(
            span -> {
              assertThat(span)
                  .containsEntry("traceId", sender.get("traceId"))
                  .containsEntry("parentSpanId", sender.get("spanId"));
              assertThat(span).as("all of one sender").doesNotContainKey("links");
              assertThat(Long.parseLong(attribute(span, "roll.queue_ns"))).isNotNegative();
            });
  }

  @ParameterizedTest
  @CsvSource({"unmodifiable map", "immutable map"})
  void dispatchIntoMapThatForbidsWriting_leavesItAsItWas(String kind) {
    assertThat(TAKES.get("sent: " + kind))
        .singleElement()
        .satisfies(span -> assertThat(span).containsEntry("parentSpanId", spanId("9")));
  }

  @Test
  void dispatchOfALongList_reachesEveryElement() {
    assertThat(result.lines()).contains("of one sender 300");
  }

  @ParameterizedTest
  @CsvSource({
    "an hour ago, 3600, 3660",
    "in an hour, -3600, -3540",
    "never, ,",
    "nonsense, ,",
    "a number, ,",
    "before the epoch, ,",
    "too large, ,",
  })
  void sendTime_becomesTheWaitInTheQueue(String sentAt, Long fromSeconds, Long toSeconds) {
    Map<String, Object> span = TAKES.get("sent at: " + sentAt).get(0);
    String waited = attribute(span, "roll.queue_ns");
    if (fromSeconds == null) {
      assertThat(waited).isNull();
    } else {
      assertThat(Long.parseLong(waited))
          .isBetween(fromSeconds * 1_000_000_000L, toSeconds * 1_000_000_000L);
    }
  }

  /**
   * The spans of a run, in OTLP/JSON. Of all files: a process that may not wait any longer at its
   * end keeps the rest in its own.
   */
  static Collection<Map<String, Object>> spansAsTheyAre(Path directory) throws IOException {
    Map<Object, Map<String, Object>> spans = new LinkedHashMap<>();
    try (Stream<Path> files = Files.list(directory.resolve("output/otlp/traces"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".jsonl")).toList()) {
        for (String line : Files.readAllLines(file)) {
          for (Map<String, Object> resource : Json.maps(Json.object(line).get("resourceSpans"))) {
            for (Map<String, Object> scope : Json.maps(resource.get("scopeSpans"))) {
              Json.maps(scope.get("spans")).forEach(span -> spans.put(span.get("spanId"), span));
            }
          }
        }
      }
    }
    return spans.values();
  }

  private static String attribute(Map<String, Object> span, String key) {
    return Json.maps(span.get("attributes")).stream()
        .filter(attribute -> attribute.get("key").equals(key))
        .map(attribute -> Json.map(attribute.get("value")).values().iterator().next().toString())
        .findFirst()
        .orElse(null);
  }

  private static String traceId(String sender) {
    return String.format("%032x", Integer.parseInt(sender));
  }

  private static String spanId(String sender) {
    return String.format("%016x", Integer.parseInt(sender));
  }
}
