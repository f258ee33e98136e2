package io.rollotel.traces.collector;

import io.grpc.Codec;
import io.grpc.Decompressor;
import io.grpc.DecompressorRegistry;
import io.grpc.Detachable;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** A request over gRPC as it came, until it is closed. */
final class GrpcMessage implements AutoCloseable {

  /** The answer, an empty message. */
  static final GrpcMessage SUCCESS =
      new GrpcMessage(InputStream.nullInputStream(), false, () -> {});

  private final InputStream body;
  private final boolean isGzip;
  private final Runnable release;

  private GrpcMessage(InputStream body, boolean isGzip, Runnable release) {
    this.body = body;
    this.isGzip = isGzip;
    this.release = release;
  }

  InputStream body() {
    return body;
  }

  /** Whether the body is compressed. */
  boolean isGzip() {
    return isGzip;
  }

  /** Gives its memory back. */
  @Override
  public void close() {
    release.run();
  }

  /**
   * Leaves what is compressed as it came: it is inflated when its turn to be written has come, so
   * that what it grows to is held once, however many there are.
   */
  static DecompressorRegistry decompressors() {
    Decompressor asItCame =
        new Decompressor() {
          @Override
          public String getMessageEncoding() {
            return "gzip";
          }

          @Override
          public InputStream decompress(InputStream stream) {
            return stream;
          }
        };
    return DecompressorRegistry.emptyInstance()
        .with(Codec.Identity.NONE, false)
        .with(asItCame, true);
  }

  /** Messages as they are. */
  static final class Messages implements MethodDescriptor.Marshaller<GrpcMessage> {

    private final Segments segments;

    /**
     * @param segments for what the transport does not let us keep
     */
    Messages(Segments segments) {
      this.segments = segments;
    }

    @Override
    public InputStream stream(GrpcMessage message) {
      return InputStream.nullInputStream(); // the only answer there is
    }

    /**
     * Keeps the transport's buffers, without a copy, where the message is plain. What grpc-java has
     * wrapped to count what it grows to is {@linkplain #decompressors compressed}.
     */
    @Override
    public GrpcMessage parse(InputStream stream) {
      if (stream instanceof Detachable plain) {
        InputStream detached = plain.detach();
        return new GrpcMessage(detached, false, () -> closeQuietly(detached));
      }
      try {
        if (stream.available() < Segments.BYTES) {
          byte[] small = stream.readAllBytes(); // a segment for each would be many times as much
          return new GrpcMessage(new ByteArrayInputStream(small), true, () -> {});
        }
        RequestBody body = new RequestBody(segments);
        byte[] part = new byte[Segments.BYTES];
        for (int count = stream.read(part); count >= 0; count = stream.read(part)) {
          body.append(part, count);
        }
        return new GrpcMessage(body.stream(), true, body::letGo);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static void closeQuietly(InputStream stream) {
      try {
        stream.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e); // it is in memory
      }
    }
  }
}
