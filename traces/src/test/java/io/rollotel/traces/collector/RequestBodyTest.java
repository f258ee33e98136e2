package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestBodyTest {

  private final UnpooledByteBufAllocator buffers = new UnpooledByteBufAllocator(true);

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 32_767, 32_768, 32_769, 65_536, 300_000})
  void body_isReadAsItArrivedAndItsBuffersAreGivenBack(int length) throws Exception {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    for (int pieceBytes : new int[] {40_000, 1000, 1_000_000}) {
      try (RequestBody body = body(bytes, pieceBytes)) {
        InputStream in = body.stream();
        assertThat(in.available()).isEqualTo(length);
        assertThat(in.readAllBytes()).isEqualTo(bytes);
      }
      body(bytes, pieceBytes).close();
      assertThat(buffers.metric().usedDirectMemory()).isZero();
    }
  }

  /** As small pieces of the transport's as there are, it takes no more than its segments. */
  @Test
  void bodyInSmallPieces_takesNoMoreThanItsSegments() {
    try (RequestBody body = body(new byte[70_000], 1)) {
      assertThat(body).isNotNull();
      assertThat(buffers.metric().usedDirectMemory()).isEqualTo(3 * RequestBody.SEGMENT_BYTES);
    }
  }

  private RequestBody body(byte[] bytes, int pieceBytes) {
    RequestBody body = new RequestBody(buffers);
    for (int at = 0; at < bytes.length; at += pieceBytes) {
      body.add(Unpooled.wrappedBuffer(bytes, at, Math.min(pieceBytes, bytes.length - at)));
    }
    return body;
  }

  /** GZIPInputStream mistakes the end of the available bytes for the end of the stream. */
  @Test
  void gzipOfTwoMembers_isReadToItsEndWhereverTheFirstEnds() throws Exception {
    byte[] rest = gzip(new byte[1000]);
    for (int length = 32_700; length < 32_800; length++) {
      byte[] noise = new byte[length - 23]; // what the format takes is about as much
      new Random(1).nextBytes(noise);
      byte[] first = gzip(noise);
      ByteArrayOutputStream both = new ByteArrayOutputStream();
      both.writeBytes(first);
      both.writeBytes(rest);
      try (RequestBody body = body(both.toByteArray(), 1 << 14)) {
        assertThat(new GZIPInputStream(body.stream(), 8 << 10).readAllBytes())
            .as("first member of " + first.length)
            .hasSize(noise.length + 1000);
      }
    }
  }

  private static byte[] gzip(byte[] content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      out.write(content);
    }
    return bytes.toByteArray();
  }
}
