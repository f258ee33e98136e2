package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rollotel.traces.collector.WholeRequests.Whole;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(600)
class WholeRequestsTest {

  private static final int MAX_BYTES = 5_000_000;
  private static final int LARGE_BYTES = 3_000_000;

  private final WholeRequests wholes = new WholeRequests(MAX_BYTES);

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 65_535, 65_536, 65_537, 2 << 20, (2 << 20) + 1, MAX_BYTES})
  void request_isReadToItsEnd(int length) throws Exception {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    for (int round = 0; round < 2; round++) {
      assertRead(new ByteArrayInputStream(bytes), false, bytes);
      assertRead(new Dripping(bytes), false, bytes);
      assertRead(new ByteArrayInputStream(gzip(bytes)), true, bytes);
    }
  }

  private void assertRead(InputStream in, boolean isGzip, byte[] expected) throws Exception {
    try (Whole whole = wholes.read(in, isGzip)) {
      assertThat(Arrays.copyOf(whole.bytes(), whole.length())).isEqualTo(expected);
    }
  }

  @Test
  void requestThatIsTooLarge_isRefusedAndLeavesItsPlace() throws Exception {
    byte[] large = new byte[MAX_BYTES + 1];
    byte[] bomb = gzip(new byte[100_000_000]);
    for (int round = 0; round < 3; round++) {
      assertThatThrownBy(() -> wholes.read(new ByteArrayInputStream(large), false).close())
          .isInstanceOf(Refusal.class)
          .hasMessageContaining("more than 5000000 bytes");
      assertThatThrownBy(() -> wholes.read(new ByteArrayInputStream(bomb), true).close())
          .isInstanceOf(Refusal.class);
    }
    assertRead(new ByteArrayInputStream(large, 0, MAX_BYTES), false, new byte[MAX_BYTES]);
  }

  @Test
  void streamThatFails_leavesItsPlace() throws Exception {
    for (int round = 0; round < 3; round++) {
      assertThatThrownBy(() -> wholes.read(new ByteArrayInputStream(new byte[9]), true).close())
          .isInstanceOf(IOException.class);
    }
    assertRead(InputStream.nullInputStream(), false, new byte[0]);
  }

  @Test
  void thirdAtOnce_waitsForOneOfTheTwo() throws Exception {
    Whole first = wholes.read(new ByteArrayInputStream(new byte[10]), false);
    Whole second = wholes.read(new ByteArrayInputStream(new byte[10]), false);
    CompletableFuture<Integer> third = readLater(10);
    assertThat(third.completeOnTimeout(-1, 50, TimeUnit.MILLISECONDS).get()).isEqualTo(-1);
    first.close();
    second.close();
    assertThat(readLater(10).get()).isEqualTo(10);
  }

  @Test
  void secondLargeAtOnce_waitsAndASmallOneDoesNot() throws Exception {
    Whole large = wholes.read(new ByteArrayInputStream(new byte[LARGE_BYTES]), false);
    try (Whole small = wholes.read(new ByteArrayInputStream(new byte[10]), false)) {
      assertThat(small.length()).isEqualTo(10);
    }
    CompletableFuture<Integer> other = readLater(LARGE_BYTES);
    assertThat(other.isDone()).isFalse();
    byte[] used = large.bytes();
    large.close();
    assertThat(other.get()).isEqualTo(LARGE_BYTES);
    try (Whole again = wholes.read(new ByteArrayInputStream(new byte[LARGE_BYTES]), false)) {
      assertThat(again.bytes()).as("one array for all large ones").isSameAs(used);
    }
  }

  private CompletableFuture<Integer> readLater(int bytes) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (Whole whole = wholes.read(new ByteArrayInputStream(new byte[bytes]), false)) {
            return whole.length();
          } catch (Refusal | IOException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private static byte[] gzip(byte[] content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      out.write(content);
    }
    return bytes.toByteArray();
  }

  /** Says nothing of its length and gives a little at a time. */
  private static final class Dripping extends InputStream {

    private final byte[] bytes;
    private int position;

    Dripping(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public int read() {
      return position == bytes.length ? -1 : bytes[position++] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int count) {
      if (position == bytes.length) {
        return -1;
      }
      int part = Math.min(Math.min(count, bytes.length - position), 10_007);
      System.arraycopy(bytes, position, into, offset, part);
      position += part;
      return part;
    }
  }
}
