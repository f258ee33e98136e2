package io.rollotel.parquet;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.parquet.ParquetFormat;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Parquet by Apache's library. Created through its service entry. */
public final class SpanParquet implements ParquetFormat {

  /** Keeps nothing. */
  public SpanParquet() {}

  @Override
  public String version() {
    try (InputStream in = SpanParquet.class.getResourceAsStream("version.txt")) {
      return in == null ? "unknown" : new String(in.readAllBytes(), UTF_8).trim();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Rows write(OutputStream to, @Nullable Wanted wanted) throws IOException {
    return new SpanRows(to, wanted, version());
  }

  @Override
  public InputStream read(Path file, LongConsumer read) throws IOException {
    return SpanLines.open(file, read);
  }
}
