package io.rollotel.traces.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rollotel.traces.otlp.PartialSuccess;
import io.rollotel.traces.otlp.Signal;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Endpoints that answer too late, or too much. */
@Timeout(60)
class ReplaySenderTest {

  private static final Duration SHORT = Duration.ofSeconds(2);
  private static final Duration LONG = Duration.ofSeconds(20);

  /** HTTP/2's frame of settings, without any. */
  private static final byte[] SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0};

  private interface Answer {
    void to(String request, OutputStream out) throws IOException;
  }

  /** Answers each connection once, by its first bytes, and leaves it open. */
  private record Server(ServerSocket socket) implements Closeable {

    static Server start(Answer answer) throws IOException {
      ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      background(
          () -> {
            while (true) {
              Socket client = socket.accept();
              background(
                  () -> {
                    byte[] first = client.getInputStream().readNBytes(4);
                    answer.to(new String(first, US_ASCII), client.getOutputStream());
                    client.getInputStream().transferTo(OutputStream.nullOutputStream());
                    return null;
                  });
            }
          });
      return new Server(socket);
    }

    private static void background(Callable<?> work) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  work.call();
                } catch (Exception closed) {
                  // By the client, or at the end of the test.
                }
              });
      thread.setDaemon(true);
      thread.start();
    }

    URI url() {
      return URI.create("http://127.0.0.1:" + socket.getLocalPort());
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private static PartialSuccess sent(Server to, Duration patience) throws Exception {
    try (ReplaySender sender = new ReplaySender(to.url(), Map.of(), null, patience)) {
      return sender.send(Signal.TRACES, new byte[1]);
    }
  }

  @Test
  void grpcServerThatNeverAnswers_isAskedOnce() throws Exception {
    Answer settingsAlone =
        (request, out) -> {
          if (request.equals("PRI ")) {
            out.write(SETTINGS);
          } else {
            out.close();
          }
        };
    try (Server server = Server.start(settingsAlone)) {
      long startNanos = System.nanoTime();
      assertThatThrownBy(() -> sent(server, SHORT))
          .isInstanceOf(HttpTimeoutException.class)
          .hasMessage("no complete answer in 2 s");
      assertThat(System.nanoTime() - startNanos).isLessThan(TimeUnit.SECONDS.toNanos(15));
    }
  }

  @Test
  void answerThatNeverEnds_endsTheRequest() throws Exception {
    byte[] head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n".getBytes(US_ASCII);
    try (Server server = Server.start((request, out) -> out.write(head))) {
      assertThatThrownBy(() -> sent(server, SHORT))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("no complete answer");
    }
  }

  /** If all of it were read, it would fill the memory. */
  @Test
  void answerWithoutAnEnd_isReadInPart() throws Exception {
    try (Server server = Server.start((request, out) -> endless(200, out))) {
      assertThat(sent(server, LONG)).isEqualTo(PartialSuccess.NONE);
    }
    try (Server server = Server.start((request, out) -> endless(400, out))) {
      assertThatThrownBy(() -> sent(server, LONG))
          .isInstanceOf(ReplaySender.RefusedException.class)
          .hasMessageStartingWith("answered 400: no, no, no, ")
          .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(1_100));
    }
  }

  private static void endless(int status, OutputStream out) throws IOException {
    out.write(("HTTP/1.1 " + status + " So\r\nConnection: close\r\n\r\n").getBytes(US_ASCII));
    byte[] part = "no, ".repeat(1_000).getBytes(US_ASCII);
    while (true) {
      out.write(part);
    }
  }
}
