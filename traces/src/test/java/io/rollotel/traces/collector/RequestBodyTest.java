package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestBodyTest {

  private final Queue<byte[]> free = new ArrayDeque<>();

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 32_767, 32_768, 32_769, 65_536, 300_000})
  void body_isReadAsItArrivedAndItsArraysAreUsedAgain(int length) throws Exception {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    for (int round = 0; round < 2; round++) {
      try (RequestBody body = new RequestBody(free)) {
        InputStream in = new ByteArrayInputStream(bytes);
        while (body.readFrom(in) == RequestBody.SEGMENT_BYTES) {
          // and the next
        }
        assertThat(body.stream().readAllBytes()).isEqualTo(bytes);
      }
      assertThat(free).hasSize(length / RequestBody.SEGMENT_BYTES + 1);
    }
  }

  /** GZIPInputStream takes the end of what is available for the end of the stream. */
  @Test
  void gzipOfTwoMembers_isReadToItsEndWhereverTheFirstEnds() throws Exception {
    byte[] rest = gzip(new byte[1000]);
    for (int length = 32_700; length < 32_800; length++) {
      byte[] noise = new byte[length - 23]; // what the format takes is about as much
      new Random(1).nextBytes(noise);
      byte[] first = gzip(noise);
      try (RequestBody body = new RequestBody(free)) {
        InputStream in =
            new SequenceInputStream(
                new ByteArrayInputStream(first), new ByteArrayInputStream(rest));
        while (body.readFrom(in) == RequestBody.SEGMENT_BYTES) {
          // and the next
        }
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
