package io.rollotel.traces.collector;

import io.grpc.Codec;
import io.grpc.Decompressor;
import io.grpc.DecompressorRegistry;
import io.grpc.Detachable;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * A request received over gRPC, still compressed if it was sent so. Close it to release its memory.
 *
 * @param isGzip whether the body is compressed
 */
record GrpcMessage(InputStream body, boolean isGzip) implements Closeable {

  /** The answer, an empty message. */
  static final GrpcMessage SUCCESS = new GrpcMessage(InputStream.nullInputStream(), false);

  /** Releases the transport's memory. */
  @Override
  public void close() {
    try {
      body.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // cannot fail: it is in memory
    }
  }

  /**
   * Does not decompress. A request is decompressed only when it is written, so that few
   * decompressed requests are in memory at once.
   */
  private static final class NoDecompression implements Decompressor {

    @Override
    public String getMessageEncoding() {
      return "gzip";
    }

    @Override
    public InputStream decompress(InputStream stream) {
      return stream;
    }
  }

  static DecompressorRegistry decompressors() {
    return DecompressorRegistry.emptyInstance()
        .with(Codec.Identity.NONE, false)
        .with(new NoDecompression(), true);
  }

  /** Passes messages on as bytes, without parsing them. */
  static final class Messages implements MethodDescriptor.Marshaller<GrpcMessage> {

    @Override
    public InputStream stream(GrpcMessage message) {
      return InputStream.nullInputStream(); // the only answer there is
    }

    /**
     * Keeps the transport's buffers, without a copy, for uncompressed messages. grpc-java wraps
     * compressed messages, and closes them when this returns.
     */
    @Override
    public GrpcMessage parse(InputStream stream) {
      if (stream instanceof Detachable plain) {
        return new GrpcMessage(plain.detach(), false);
      }
      try {
        return new GrpcMessage(new ByteArrayInputStream(stream.readAllBytes()), true);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
