package io.rollotel.parquet;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;

/** Adapts a stream to the file interface of Parquet's writer. */
final class CountedFile extends PositionOutputStream implements OutputFile {

  private final OutputStream out;
  private long position;

  CountedFile(OutputStream out) {
    this.out = out;
  }

  @Override
  public PositionOutputStream create(long blockSize) {
    return this;
  }

  @Override
  public PositionOutputStream createOrOverwrite(long blockSize) {
    return this;
  }

  @Override
  public boolean supportsBlockSize() {
    return false;
  }

  @Override
  public long defaultBlockSize() {
    return 0;
  }

  @Override
  public long getPos() {
    return position;
  }

  @Override
  public void write(int one) throws IOException {
    out.write(one);
    position++;
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    out.write(bytes, offset, length);
    position += length;
  }

  @Override
  public void flush() throws IOException {
    out.flush();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
