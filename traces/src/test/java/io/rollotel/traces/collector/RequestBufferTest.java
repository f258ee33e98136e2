package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestBufferTest {

  private static final int SMALL_BYTES = 200_000;
  private static final int MAX_BYTES = 5_000_000;

  private final RequestBuffer small = new RequestBuffer();
  private final RequestBuffer large = new RequestBuffer();

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 65_535, 65_536, 65_537, SMALL_BYTES, SMALL_BYTES + 1, MAX_BYTES})
  void request_isReadToItsEnd(int length) throws Exception {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    for (int round = 0; round < 2; round++) {
      assertThat(read(new ByteArrayInputStream(bytes))).isEqualTo(bytes);
      assertThat(read(new Dripping(bytes))).isEqualTo(bytes);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {MAX_BYTES + 1, 3 * MAX_BYTES})
  void requestThatIsTooLarge_isNotReadToItsEnd(int length) throws Exception {
    byte[] bytes = new byte[length];
    assertThat(read(new ByteArrayInputStream(bytes))).isNull();
    assertThat(read(new Dripping(bytes))).isNull();
    assertThat(large.bytes()).hasSizeLessThanOrEqualTo(MAX_BYTES + 1);
    assertThat(small.bytes()).hasSizeLessThanOrEqualTo(SMALL_BYTES + 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 8_192, 16_384, 16_385, SMALL_BYTES})
  void compressedRequest_isInflatedByAnInflaterThatIsUsedAgain(int length) throws Exception {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    byte[] gzip = gzip(bytes);
    for (int round = 0; round < 2; round++) {
      assertThat(inflated(gzip)).isEqualTo(bytes);
      assertThatIOException().isThrownBy(() -> inflated(Arrays.copyOf(gzip, gzip.length - 9)));
    }
    assertThat(inflated(join(gzip, gzip))).isEqualTo(join(bytes, bytes));
    byte[] wrongChecksum = gzip.clone();
    wrongChecksum[gzip.length - 8] ^= 1;
    assertThatIOException().isThrownBy(() -> inflated(wrongChecksum));
    assertThat(inflated(gzip)).isEqualTo(bytes);
  }

  private byte[] inflated(byte[] gzip) throws IOException {
    try (InputStream in = small.inflated(new ByteArrayInputStream(gzip))) {
      return read(in);
    }
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(compressed)) {
      out.write(bytes);
    }
    return compressed.toByteArray();
  }

  private static byte[] join(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  private byte[] read(InputStream in) throws IOException {
    small.reset();
    if (small.append(in, SMALL_BYTES)) {
      return small.toByteArray();
    }
    large.reset();
    small.writeTo(large);
    return large.append(in, MAX_BYTES) ? large.toByteArray() : null;
  }

  /** Does not tell its length and returns a little at a time. */
  private static final class Dripping extends FilterInputStream {

    Dripping(byte[] bytes) {
      super(new ByteArrayInputStream(bytes));
    }

    @Override
    public int available() {
      return 1;
    }

    @Override
    public int read(byte[] into, int offset, int count) throws IOException {
      return super.read(into, offset, Math.min(count, 10_007));
    }
  }
}
