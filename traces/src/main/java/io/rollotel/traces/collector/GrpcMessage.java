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
 * A request over gRPC as it came, until it is closed.
 *
 * @param isGzip whether the body is compressed
 */
record GrpcMessage(InputStream body, boolean isGzip) implements Closeable {

  /** The answer, an empty message. */
  static final GrpcMessage SUCCESS = new GrpcMessage(InputStream.nullInputStream(), false);

  /** Gives the transport's memory back. */
  @Override
  public void close() {
    try {
      body.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // it is in memory
    }
  }

  /**
   * Leaves what is compressed as it came. It is inflated when it is written, so that what it grows
   * to is held once, however many there are.
   */
  private static final class AsItCame implements Decompressor {

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
        .with(new AsItCame(), true);
  }

  /** Messages as they are. */
  static final class Messages implements MethodDescriptor.Marshaller<GrpcMessage> {

    @Override
    public InputStream stream(GrpcMessage message) {
      return InputStream.nullInputStream(); // the only answer there is
    }

    /**
     * Keeps the transport's buffers, without a copy, where the message is plain. grpc-java wraps
     * what is compressed, and closes it when this returns.
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
