package io.rollotel.traces.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Cases;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.PlantedRecording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random files of random runs: {@code report} prints the same by way of a cache, whose files it
 * reads in parts. {@code PartedWorldsTest} compares more runs, without the files.
 */
class CachedWorldsTest {

  private static final long START = 1_795_269_422_000_000_000L;
  private static final long MS = 1_000_000;

  @TempDir private Path directory;

  static LongStream seeds() {
    return LongStream.range(0, Cases.of(40));
  }

  @Tag("campaign")
  @ParameterizedTest
  @MethodSource("seeds")
  void reportOfRandomFiles_isTheSameByWayOfACache(long seed) throws Exception {
    Random random = new Random(seed);
    List<String> dirs = plant(random);
    String cache = directory.resolve("cache").toString();
    List<String[]> choices = new ArrayList<>();
    choices.add(new String[] {});
    choices.add(new String[] {"--json"});
    choices.add(new String[] {"--runs", "--json"});
    choices.add(new String[] {"--runs"});
    choices.add(new String[] {"--run", "run1", "--json"});
    choices.add(new String[] {"--trace", "%032x".formatted(1 + random.nextInt(12))});
    choices.add(new String[] {"--json", "--where", "name:work OR status:error"});
    choices.add(new String[] {"--where", "http.status_code>=500"});
    choices.add(new String[] {"--where", "rank:2 dur>200ms"});
    choices.add(new String[] {"--json", "--no-clock-correction"});
    choices.add(new String[] {"--json", "--step", "job"});
    Collections.shuffle(choices, random);
    for (String[] choice : choices.subList(0, 5)) {
      String[] report =
          joined(joined(new String[] {"report"}, dirs.toArray(String[]::new)), choice);
      CommandRun known = CommandRun.of(report);
      CommandRun cached = CommandRun.of(joined(report, "--cache", cache));
      assertThat(cached).as(() -> String.join(" ", report)).isEqualTo(known);
    }
  }

  private static String[] joined(String[] some, String... more) {
    String[] all = Arrays.copyOf(some, some.length + more.length);
    System.arraycopy(more, 0, all, some.length, more.length);
    return all;
  }

  /** The lines in random files of one or two directories, some of them twice or torn. */
  private List<String> plant(Random random) throws IOException {
    List<String> lines = world(random);
    Collections.shuffle(lines, random);
    List<String> dirs = new ArrayList<>();
    int count = 1 + random.nextInt(2);
    for (int dir = 0; dir < count; dir++) {
      Path output = directory.resolve("host" + dir);
      Path traces = Files.createDirectories(output.resolve("traces"));
      for (int file = 0; file < 3; file++) {
        StringBuilder text = new StringBuilder();
        for (String line : lines) {
          if (random.nextInt(2 * count) == 0) {
            text.append(line).append('\n');
          }
        }
        if (random.nextInt(4) == 0) {
          text.append("no span\n");
        }
        if (random.nextInt(4) == 0) {
          text.append(lines.get(0), 0, lines.get(0).length() / 2);
        }
        byte[] bytes = text.toString().getBytes(UTF_8);
        if (random.nextInt(3) == 0) {
          Files.write(traces.resolve(file + ".jsonl.gz"), PlantedFile.gzip(bytes));
        } else {
          Files.write(traces.resolve(file + ".jsonl"), bytes);
        }
      }
      if (random.nextInt(3) == 0) { // a span of the first trace, which may have ended
        PlantedRecording.write(output, "work", random.nextBoolean() ? 10 : 999);
      }
      dirs.add(output.toString());
    }
    return dirs;
  }

  private static List<String> world(Random random) {
    List<String> lines = new ArrayList<>();
    int hosts = 1 + random.nextInt(3);
    long[] ahead = {0, random.nextInt(3) == 0 ? 3_000 : 0, random.nextInt(3) == 0 ? -70_000 : 0};
    boolean areOverlapping = random.nextInt(3) == 0;
    boolean isSampled = random.nextInt(4) == 0;
    for (int trace = 1; trace <= 12; trace++) {
      String run = "run" + random.nextInt(3);
      String id = "%032x".formatted(trace);
      String state = isSampled && random.nextBoolean() ? ",\"traceState\":\"ot=th:c\"" : "";
      long at = areOverlapping ? 300L * trace : 1_000L * trace;
      String root = random.nextInt(4) == 0 ? "job" : "pipeline_step";
      String step = attributes("global_step", trace) + state;
      lines.add(line(run, "driver", 0, span(id, 1, 0, root, 1, at, at + 900, step)));
      for (int worker = 0; worker < 4; worker++) {
        int host = worker % hosts;
        long begun = at + 10 + random.nextInt(50) + ahead[host];
        long end = begun + 100 + random.nextInt(300) + (worker == 3 ? 200 : 0);
        String status =
            random.nextInt(8) == 0
                ? ",\"status\":{\"code\":2,\"message\":\"out of memory at " + trace + "\"}"
                : "";
        String of = attributes("http.status_code", random.nextBoolean() ? 200 : 503);
        String link =
            ",\"links\":[{\"traceId\":\"%032x\",\"spanId\":\"%016x\"}]"
                .formatted(1 + random.nextInt(12), 10 + worker);
        int parent = random.nextInt(20) == 0 ? 7777 : 1;
        String work =
            span(id, 10 + worker, parent, "work", 1, begun, end, of + status + link + state);
        String part = span(id, 20 + worker, 10 + worker, "part", 1, begun + 5, end - 30, state);
        lines.add(line(run, "worker" + worker, host, random.nextBoolean() ? work : part));
        lines.add(line(run, "worker" + worker, host, work + "," + part));
      }
      if (random.nextInt(3) == 0) {
        String joining = trace % 2 == 0 ? "ray.task_id" : "message.id";
        String task =
            ",\"attributes\":[" + text("roll.join", joining) + "," + text(joining, "t") + "]";
        String by = task.replace("\"t\"", "\"t" + trace + "\"") + state;
        lines.add(line(run, "driver", 0, span(id, 40, 1, "g", 4, at + 400, at + 410, by)));
        String other = "%032x".formatted(1_000 + trace);
        lines.add(line(run, "x", 0, span(other, 41, 0, "g", 5, at + 420, at + 600, by)));
        lines.add(line(run, "x", 0, span(other, 42, 41, "part", 1, at + 430, at + 500, state)));
      }
    }
    return lines;
  }

  private static String span(
      String trace,
      long id,
      long parent,
      String name,
      int kind,
      long start,
      long end,
      String more) {
    return "{\"traceId\":\"%s\",\"spanId\":\"%016x\",\"parentSpanId\":\"%s\",\"name\":\"%s\",\"kind\":%d,\"startTimeUnixNano\":\"%d\",\"endTimeUnixNano\":\"%d\"%s}"
        .formatted(
            trace,
            id,
            parent == 0 ? "" : "%016x".formatted(parent),
            name,
            kind,
            START + start * MS,
            START + end * MS,
            more);
  }

  private static String attributes(String key, long value) {
    return ",\"attributes\":[{\"key\":\"" + key + "\",\"value\":{\"intValue\":\"" + value + "\"}}]";
  }

  private static String text(String key, String value) {
    return "{\"key\":\"" + key + "\",\"value\":{\"stringValue\":\"" + value + "\"}}";
  }

  private static String line(String run, String instance, int host, String spans) {
    return "{\"resourceSpans\":[{\"resource\":{\"attributes\":["
        + text("service.name", instance.replaceAll("\\d", ""))
        + ","
        + text("service.instance.id", instance)
        + ","
        + text("host.name", "host" + host)
        + ","
        + text("roll.run_id", run)
        + ","
        + text("roll.rank", instance.replaceAll("\\D", ""))
        + "]},\"scopeSpans\":[{\"spans\":["
        + spans
        + "]}]}]}";
  }
}
