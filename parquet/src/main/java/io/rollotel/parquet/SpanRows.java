package io.rollotel.parquet;

import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.WireCursor;
import io.rollotel.traces.parquet.ParquetFormat;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor;
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.jspecify.annotations.Nullable;

/** Writes spans to a file, one row group after the other; only one is in memory. */
final class SpanRows implements ParquetFormat.Rows {

  /** The memory for compressed and current pages of spans with many attributes. */
  private static final long ROW_GROUP_BYTES = 48 << 20;

  /** Engines read row groups side by side, and skip those whose range does not concern them. */
  private static final long MOST_ROWS_OF_A_GROUP = 250_000;

  /** How often the size is checked, which inspects every column. */
  private static final int ROWS_BETWEEN_LOOKS = 1000;

  /** Or earlier, after spans of this many bytes. */
  private static final long BYTES_BETWEEN_LOOKS = 4 << 20;

  private final ParquetFormat.@Nullable Wanted wanted;
  private final ParquetFileWriter file;
  private final CountedFile out;
  private final ParquetProperties properties = ColumnEncodings.properties();
  private final BytesInputCompressor compressor =
      new PageCodecs().getCompressor(CompressionCodecName.GZIP);
  private final Map<String, String> facts;

  private final WireCursor wire = new WireCursor();
  private final SpanMessage span = new SpanMessage();
  private final Origin origin = new Origin();

  private @Nullable RowGroup group;
  private long size;
  private boolean isBroken;

  SpanRows(OutputStream to, ParquetFormat.@Nullable Wanted wanted, String version)
      throws IOException {
    this.wanted = wanted;
    this.out = new CountedFile(to);
    // In order, so that the same spans give the same bytes.
    this.facts =
        new TreeMap<>(
            Map.of(SpanSchema.VERSION_KEY, SpanSchema.VERSION, "roll_otel.version", version));
    this.file = writer(out);
    file.start();
  }

  /**
   * The successor of this constructor is overloaded with Hadoop's classes, which javac would need.
   */
  @SuppressWarnings("deprecation")
  private static ParquetFileWriter writer(CountedFile out) throws IOException {
    return new ParquetFileWriter(
        out, SpanSchema.SPAN, ParquetFileWriter.Mode.CREATE, ROW_GROUP_BYTES, 0);
  }

  @Override
  public void add(byte[] request, int length) throws IOException {
    try {
      wire.start(request, 0, length);
      while (wire.next()) {
        if (wire.field() == 1) {
          resourceSpans();
        } else {
          wire.skip();
        }
      }
    } catch (MalformedRequestException e) {
      throw new IOException(e); // checked by the caller
    } catch (IOException | RuntimeException e) {
      isBroken = true;
      throw e;
    }
  }

  private void resourceSpans() throws IOException, MalformedRequestException {
    int outer = wire.enter();
    int start = wire.position();
    origin.clear();
    while (wire.next()) {
      switch (wire.field()) {
        case 1 -> origin.resource(wire);
        case 3 -> origin.resourceSchemaUrl(wire);
        default -> wire.skip();
      }
    }
    wire.moveTo(start);
    while (wire.next()) {
      if (wire.field() == 2) {
        scopeSpans();
      } else {
        wire.skip();
      }
    }
    wire.leave(outer);
  }

  private void scopeSpans() throws IOException, MalformedRequestException {
    int outer = wire.enter();
    int start = wire.position();
    origin.clearScope();
    while (wire.next()) {
      switch (wire.field()) {
        case 1 -> origin.scope(wire);
        case 3 -> origin.scopeSchemaUrl(wire);
        default -> wire.skip();
      }
    }
    wire.moveTo(start);
    while (wire.next()) {
      if (wire.field() == 2) {
        int ofScope = wire.enter();
        int from = wire.position();
        span.read(wire);
        if (wanted == null || isWanted(wanted)) {
          row(wire.position() - from);
        }
        wire.leave(ofScope);
      } else {
        wire.skip();
      }
    }
    wire.leave(outer);
  }

  private boolean isWanted(ParquetFormat.Wanted of) {
    HexFormat hex = HexFormat.of();
    byte[] bytes = wire.bytes();
    return of.has(
        hex.formatHex(bytes, span.traceId, span.traceId + SpanMessage.TRACE_ID_BYTES),
        hex.formatHex(bytes, span.spanId, span.spanId + SpanMessage.SPAN_ID_BYTES));
  }

  private void row(int bytes) throws IOException, MalformedRequestException {
    RowGroup open = group == null ? new RowGroup() : group;
    group = open;
    open.columns.write(wire, span, origin);
    open.store.endRecord();
    open.rows++;
    open.bytesSinceLook += bytes;
    size++;
    if (open.rows % ROWS_BETWEEN_LOOKS == 0 || open.bytesSinceLook > BYTES_BETWEEN_LOOKS) {
      open.bytesSinceLook = 0;
      if (open.rows >= MOST_ROWS_OF_A_GROUP || open.store.getBufferedSize() > ROW_GROUP_BYTES) {
        endGroup();
      }
    }
  }

  private void endGroup() throws IOException {
    RowGroup done = group;
    if (done != null) {
      group = null;
      file.startBlock(done.rows);
      done.store.flush();
      done.pages.flushToFileWriter(file);
      file.endBlock();
      done.store.close();
      done.pages.close();
    }
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public void close() throws IOException {
    try {
      if (!isBroken) {
        isBroken = true;
        endGroup();
        file.end(facts);
      }
    } finally {
      compressor.release();
      out.close();
    }
  }

  private final class RowGroup {
    private final ColumnChunkPageWriteStore pages =
        new ColumnChunkPageWriteStore(
            compressor,
            SpanSchema.SPAN,
            properties.getAllocator(),
            properties.getColumnIndexTruncateLength(),
            properties.getPageWriteChecksumEnabled());
    private final ColumnWriteStore store =
        properties.newColumnWriteStore(SpanSchema.SPAN, pages, pages);
    private final SpanColumns columns = new SpanColumns(store);
    private long rows;
    private long bytesSinceLook;
  }
}
