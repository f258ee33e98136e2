package io.rollotel.traces.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Cases;
import io.rollotel.traces.kit.RandomRequests;
import io.rollotel.traces.kit.Requests;
import io.rollotel.traces.otlp.JsonLine;
import io.rollotel.traces.otlp.LineTranslator;
import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.Signal;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bytes that were a request once. */
class MutationsTest {

  private static final int MUTATIONS = Cases.of(100_000);
  private static final int GOOD_EVERY = 50;

  private final Random random = new Random(7);

  @TempDir Path dir;

  @Tag("campaign")
  @Test
  void mutatedRequests_areTakenOrRefusedAndSpoilNoGoodOne() throws Exception {
    RandomRequests requests = new RandomRequests(11);
    long good = 0;
    long taken = 0;
    long refused = 0;
    Path file = dir.resolve("traces.jsonl");
    FileRules rules = new FileRules(8 << 20, 0, true, false);
    try (TracesWriter writer = TracesWriter.open(file.toFile(), Signal.TRACES, rules)) {
      JsonLine json = new JsonLine();
      LineTranslator toJson = new LineTranslator(json);
      byte[] original = {};
      for (int i = 0; i < MUTATIONS; i++) {
        if (i % 10 == 0) {
          original = requests.request().toByteArray();
        }
        boolean isJson = i % 4 == 0;
        byte[] whole = isJson ? json(toJson, json, original) : original;
        byte[] mutated = mutated(whole);
        try {
          if (isJson) {
            writer.writeJson(mutated, 0, mutated.length);
          } else {
            writer.write(mutated, 0, mutated.length);
          }
          taken++;
        } catch (MalformedRequestException e) {
          assertThat(e.getMessage()).isNotBlank();
          refused++;
        }
        if (i % GOOD_EVERY == 0) {
          byte[] request = Requests.of(List.of(Requests.span(Long.MIN_VALUE, 1 + i, 0, "", 5, 3)));
          assertThat(writer.write(request, 0, request.length)).isEqualTo(1);
          good++;
        }
      }
    }
    long[] found = new long[1];
    ReadSummary summary =
        new TracesReader()
            .read(
                dir,
                span ->
                    found[0] += span.traceId().equals("00000000000000008000000000000000") ? 1 : 0);
    assertThat(found[0]).as("good requests").isEqualTo(good);
    assertThat(summary.unreadableLines() + summary.tornLines()).isZero();
    assertThat(taken).isGreaterThan(MUTATIONS / 100);
    assertThat(refused).isGreaterThan(MUTATIONS / 4);
  }

  private static byte[] json(LineTranslator translator, JsonLine line, byte[] request)
      throws Exception {
    line.clear();
    translator.translate(Signal.TRACES, request, 0, request.length);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    line.writeTo(bytes);
    return bytes.toByteArray();
  }

  private byte[] mutated(byte[] whole) {
    byte[] bytes = whole.clone();
    for (int times = 1 + random.nextInt(3); times > 0 && bytes.length > 0; times--) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(6)) {
        case 0 -> bytes[at] = (byte) random.nextInt();
        case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 2 -> bytes = Arrays.copyOf(bytes, at);
        case 3 -> bytes = Arrays.copyOfRange(bytes, at, bytes.length);
        case 4 -> Arrays.fill(bytes, at, Math.min(bytes.length, at + 10), (byte) 0xff);
        default -> {
          int from = random.nextInt(bytes.length);
          int count = Math.min(bytes.length - Math.max(at, from), random.nextInt(40));
          System.arraycopy(bytes, from, bytes, at, count);
        }
      }
    }
    return bytes;
  }
}
