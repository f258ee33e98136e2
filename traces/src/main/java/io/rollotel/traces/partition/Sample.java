package io.rollotel.traces.partition;

import io.rollotel.traces.file.LineSource;
import io.rollotel.traces.otlp.LineParser;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.UnreadableLineException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.zip.Deflater;

/** The size of a file's first lines in the cache, from which the required space is estimated. */
final class Sample {

  private static final int TEXT_BYTES = 4 << 20;

  /** Blocks of many partitions are smaller, and files are not alike. */
  private static final double MARGIN = 1.25;

  private Sample() {}

  /** The bytes in the cache for each byte of the file on the disk; 0 if unknown. */
  static double ratio(Source source) {
    if (Source.isParquet(source.path)) {
      return MARGIN; // a span takes about as much there
    }
    try (FileChannel channel = FileChannel.open(source.path, StandardOpenOption.READ)) {
      InputStream in = Channels.newInputStream(channel);
      if (source.isPacked) {
        in = Source.unpacked(source.path, in, 8 << 10, bytes -> {});
      }
      long block = block(new LineSource(in));
      return channel.position() == 0 ? 0 : MARGIN * block / channel.position();
    } catch (IOException unreadable) {
      return 0;
    }
  }

  private static long block(LineSource lines) throws IOException {
    LineParser parser = new LineParser(null);
    BlockWriter block = new BlockWriter(new ResourceTable());
    long written = 0;
    while (lines.offset() < TEXT_BYTES && lines.nextLine()) {
      try {
        for (Span span : lines.spans(parser)) {
          block.add(span, 0, 0);
        }
      } catch (UnreadableLineException skipped) {
        // and takes no room
      }
      if (block.length() > TEXT_BYTES / 16) {
        written += length(block);
      }
    }
    return written + (block.isEmpty() ? 0 : length(block));
  }

  private static long length(BlockWriter block) {
    Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
    try {
      Bytes out = new Bytes();
      block.finish(out, deflater, new Bytes());
      return out.length();
    } finally {
      deflater.end();
    }
  }
}
