package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rollotel.traces.kit.Requests;
import io.rollotel.traces.otlp.Signal;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may write when. */
class RequestWriterTest {

  private static final int LARGE_BYTES = 3 << 20;

  private @TempDir Path directory;
  private RequestWriter writer;

  @BeforeEach
  void open() throws IOException {
    CollectorSettings settings = CollectorSettings.ofDriver();
    writer = RequestWriter.open(directory.toFile(), "", settings, line -> {});
  }

  @AfterEach
  void close() {
    writer.close();
  }

  @Test
  void thirdAtOnce_waitsForOneOfTheTwo() throws Exception {
    Sending first = new Sending(small(1));
    Sending second = new Sending(small(2));
    first.body.read.await();
    second.body.read.await();
    Sending third = new Sending(small(3));
    third.awaitState(Thread.State.WAITING);
    first.finish();
    third.body.read.await();
    second.finish();
    third.finish();
  }

  @Test
  void secondLargeAtOnce_waitsAndASmallOneDoesNot() throws Exception {
    Sending first = new Sending(large(1));
    first.body.read.await();
    write(new ByteArrayInputStream(small(2)), false);
    Sending second = new Sending(large(3));
    second.awaitState(Thread.State.BLOCKED);
    first.finish();
    second.finish();
  }

  @Test
  void requestsThatFail_giveTheirTurnsBack() throws Exception {
    for (int round = 0; round < 3; round++) { // there are two turns
      isRefused(Refusal.Reason.MALFORMED, new ByteArrayInputStream(new byte[9]), true);
      isRefused(Refusal.Reason.MALFORMED, new ByteArrayInputStream(new byte[9]), false);
      isRefused(Refusal.Reason.MALFORMED, new ByteArrayInputStream(new byte[LARGE_BYTES]), false);
      isRefused(Refusal.Reason.TOO_LARGE, new ByteArrayInputStream(new byte[17 << 20]), false);
    }
    write(new ByteArrayInputStream(large(1)), false);
  }

  private void isRefused(Refusal.Reason reason, InputStream body, boolean isGzip) {
    assertThatThrownBy(() -> write(body, isGzip))
        .isInstanceOfSatisfying(
            Refusal.class, refusal -> assertThat(refusal.reason()).isEqualTo(reason));
  }

  private void write(InputStream body, boolean isGzip) throws Refusal {
    writer.write(Signal.TRACES, false, body, isGzip);
  }

  private static byte[] small(long spanId) {
    return Requests.spans(spanId, 1);
  }

  private static byte[] large(long spanId) {
    return Requests.of(List.of(Requests.span(1, spanId, 0, "x".repeat(LARGE_BYTES), 5, 3)));
  }

  /** A request whose end arrives on demand. */
  private final class Sending {

    final Held body;
    private final FutureTask<Void> task;
    private final Thread thread;

    Sending(byte[] request) {
      body = new Held(request);
      task =
          new FutureTask<>(
              () -> {
                write(body, false);
                return null;
              });
      thread = new Thread(task);
      thread.setDaemon(true);
      thread.start();
    }

    /** Fails where it goes on to its end instead. */
    void awaitState(Thread.State state) throws InterruptedException {
      while (thread.getState() != state) {
        assertThat(thread.isAlive() && body.read.getCount() == 1).isTrue();
        Thread.sleep(1);
      }
      assertThat(body.read.getCount()).isOne();
    }

    void finish() throws Exception {
      body.end.countDown();
      task.get();
    }
  }

  private static final class Held extends FilterInputStream {

    /** Whether all but the end was read. */
    final CountDownLatch read = new CountDownLatch(1);

    final CountDownLatch end = new CountDownLatch(1);

    Held(byte[] bytes) {
      super(new ByteArrayInputStream(bytes));
    }

    @Override
    public int read(byte[] into, int offset, int count) throws IOException {
      int length = super.read(into, offset, count);
      if (length < 0) {
        read.countDown();
        try {
          end.await();
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
      }
      return length;
    }
  }
}
