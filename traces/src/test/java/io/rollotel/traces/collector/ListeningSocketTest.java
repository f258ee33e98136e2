package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ListeningSocketTest {

  private final List<Thread> threads = new CopyOnWriteArrayList<>();
  private final List<String> log = new CopyOnWriteArrayList<>();
  private final ThreadFactory factory =
      task -> {
        Thread thread = new Thread(task);
        threads.add(thread);
        return thread;
      };

  @Test
  void firstConnection_startsTheServerAndIsLeftToIt() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    try (ListeningSocket socket = listen()) {
      socket.startWhenAsked(factory, started::countDown, log::add);
      try (Socket client = connect(socket)) {
        assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
        threads.get(0).join();
        try (var accepted = socket.channel().accept()) {
          assertThat(accepted.getRemoteAddress()).isEqualTo(client.getLocalSocketAddress());
        }
      }
    }
    assertThat(log).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void closedBeforeAnyConnection_endsItsThreadWithoutAServer(boolean isWaiting) throws Exception {
    AtomicInteger starts = new AtomicInteger();
    ListeningSocket socket = listen();
    socket.startWhenAsked(factory, starts::incrementAndGet, log::add);
    while (isWaiting && !isInSelect(threads.get(0))) {
      Thread.onSpinWait();
    }
    socket.close();
    threads.get(0).join();
    assertThat(starts).hasValue(0);
    assertThat(log).isEmpty();
  }

  @Test
  void startThatFailsAndClosesTheSocket_isRepeatedOnTheSamePort() throws Exception {
    AtomicInteger starts = new AtomicInteger();
    try (ListeningSocket socket = listen()) {
      int port = socket.address().getPort();
      socket.startWhenAsked(
          factory,
          () -> {
            if (starts.incrementAndGet() == 1) {
              socket.channel().close();
              throw new OutOfMemoryError("planted");
            }
          },
          log::add);
      try (Socket first = connect(socket)) {
        assertThat(first.getInputStream().read()).as("closed with the socket").isEqualTo(-1);
      } catch (IOException reset) {
        assertThat(reset).hasMessageContaining("reset");
      }
      while (starts.get() < 2) {
        try (Socket next = new Socket(InetAddress.getLoopbackAddress(), port)) {
          threads.get(0).join(100);
        } catch (IOException refused) {
          threads.get(0).join(100); // not listening again yet
        }
      }
    }
    assertThat(log).singleElement().asString().contains("will retry", "planted");
  }

  @Test
  void portThatIsTaken_isNamed() throws Exception {
    try (ListeningSocket socket = listen()) {
      InetSocketAddress taken =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), socket.address().getPort());
      assertThatThrownBy(() -> ListeningSocket.listen(taken))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(String.valueOf(socket.address().getPort()));
    }
  }

  private static boolean isInSelect(Thread thread) {
    return Stream.of(thread.getStackTrace())
        .anyMatch(frame -> frame.isNativeMethod() && frame.getMethodName().contains("ait"));
  }

  private static ListeningSocket listen() throws IOException {
    return ListeningSocket.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  private static Socket connect(ListeningSocket socket) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), socket.address().getPort());
  }
}
