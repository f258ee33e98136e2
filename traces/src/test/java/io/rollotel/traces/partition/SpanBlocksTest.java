package io.rollotel.traces.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.RandomRequests;
import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpanBlocksTest {

  @TempDir private Path temporary;

  private List<Span> spans() throws Exception {
    RandomRequests requests = new RandomRequests(5);
    byte[][] all = new byte[300][];
    for (int i = 0; i < all.length; i++) {
      all[i] = requests.request().toByteArray();
    }
    Path file = temporary.resolve("traces.jsonl");
    PlantedFile.write(file, all);
    List<Span> spans = new ArrayList<>();
    new TracesReader().read(file, spans::add);
    return spans;
  }

  private static List<byte[]> blocks(List<Span> spans, int most) {
    List<byte[]> blocks = new ArrayList<>();
    SpanBlocks.Writer writer = new SpanBlocks.Writer(new Deflater(Deflater.BEST_SPEED, true));
    for (int i = 0; i < spans.size(); i++) {
      writer.add(spans.get(i), i * 3 / spans.size(), i);
      if (i % most == most - 1 || i == spans.size() - 1) {
        blocks.add(writer.take());
      }
    }
    assertThat(writer.isEmpty()).isTrue();
    return blocks;
  }

  @Test
  void blocks_giveTheSpansBackInTheFilesOrder() throws Exception {
    List<Span> spans = spans();
    List<byte[]> blocks = blocks(spans, 100);
    List<byte[]> mixed = new ArrayList<>(blocks);
    Collections.shuffle(mixed, new Random(1));
    List<Span> found = new ArrayList<>();
    SpanBlocks.Reader reader = new SpanBlocks.Reader(null);
    for (byte[] block : SpanBlocks.ordered(mixed)) {
      reader.read(block, found::add);
    }
    assertThat(found.stream().map(Read::text).toList())
        .isEqualTo(spans.stream().map(Read::text).toList());
  }

  @Test
  void attributesThatNobodyWants_areLeftOut() throws Exception {
    List<Span> found = new ArrayList<>();
    SpanBlocks.Reader reader = new SpanBlocks.Reader(Set.of("global_step"));
    for (byte[] block : blocks(spans(), 1_000)) {
      reader.read(block, found::add);
    }
    assertThat(found)
        .isNotEmpty()
        .allSatisfy(
            span -> assertThat(Set.of("global_step")).containsAll(span.attributes().keySet()))
        .allSatisfy(span -> assertThat(span.events()).isEmpty());
  }

  @Test
  void damagedBlock_isNotRead() throws Exception {
    byte[] block = blocks(spans(), 1_000).get(0);
    block[block.length / 2] ^= 1;
    SpanBlocks.Reader reader = new SpanBlocks.Reader(null);
    assertThatThrownBy(() -> reader.read(block, span -> {})).isInstanceOf(IOException.class);
  }
}
