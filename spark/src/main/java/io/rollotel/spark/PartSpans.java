package io.rollotel.spark;

import io.rollotel.traces.otlp.SeenSpans;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.partition.SpanBlocks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The spans of a part from its blocks, each once: the first one in the files. */
final class PartSpans {

  private final SeenSpans seen = new SeenSpans();
  private long duplicates;

  /**
   * Passes them on.
   *
   * @param attributes those of spans that are passed on; null for all that the blocks have, and for
   *     events and links
   */
  void read(Iterator<byte[]> blocks, @Nullable Set<String> attributes, Consumer<Span> sink) {
    List<byte[]> all = new ArrayList<>();
    blocks.forEachRemaining(all::add);
    SpanBlocks.Reader reader = new SpanBlocks.Reader(attributes);
    try {
      for (byte[] block : SpanBlocks.ordered(all)) {
        reader.read(
            block,
            span -> {
              if (seen.add(span.traceId(), span.spanId())) {
                sink.accept(span);
              } else {
                duplicates++;
              }
            });
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The number of duplicates. */
  long duplicates() {
    return duplicates;
  }
}
