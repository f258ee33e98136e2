package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;

/** A server that follows a script, and its client. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
abstract class HttpClientFixture {

  static final byte[] BODY = "spans".getBytes(ISO_8859_1);
  static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(60);
  static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  /** Answers the next request of a connection; true if another may follow. */
  interface Script {
    boolean answer(Server server, Socket socket, String head, int request) throws Exception;
  }

  /** A server of bytes, whose answers are a script. */
  static final class Server implements AutoCloseable {

    private final ServerSocket socket;
    final Script script;
    final List<String> heads = new CopyOnWriteArrayList<>();
    final BlockingQueue<String> bodies = new LinkedBlockingQueue<>();
    final AtomicInteger connections = new AtomicInteger();
    final ConcurrentLinkedQueue<Socket> open = new ConcurrentLinkedQueue<>();

    Server(String address, Script script) throws IOException {
      this.script = script;
      socket = new ServerSocket(0, 50, InetAddress.getByName(address));
      Thread thread = new Thread(this::accept, "test-server");
      thread.setDaemon(true);
      thread.start();
    }

    static Server of(Script script) throws IOException {
      return new Server("127.0.0.1", script);
    }

    /** Gives the same answer to every request. */
    static Server saying(String answer) throws IOException {
      return of(
          (server, socket, head, request) -> {
            server.readBody(socket, head);
            write(socket, answer);
            return true;
          });
    }

    URI uri() {
      return URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/v1/traces");
    }

    int port() {
      return socket.getLocalPort();
    }

    private void accept() {
      while (true) {
        try {
          Socket connection = socket.accept();
          connections.incrementAndGet();
          open.add(connection);
          Thread thread = new Thread(() -> serve(connection), "test-connection");
          thread.setDaemon(true);
          thread.start();
        } catch (IOException closed) {
          return;
        }
      }
    }

    private void serve(Socket connection) {
      try (connection) {
        for (int request = 0; ; request++) {
          String head = readHead(connection.getInputStream());
          if (head.isEmpty()) {
            return;
          }
          heads.add(head);
          if (!script.answer(this, connection, head, request)) {
            return;
          }
        }
      } catch (Exception clientHasGone) {
        // As tests want it.
      }
    }

    private static String readHead(InputStream in) throws IOException {
      ByteArrayOutputStream head = new ByteArrayOutputStream();
      while (!head.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
        int next = in.read();
        if (next < 0) {
          return "";
        }
        head.write(next);
      }
      return head.toString(ISO_8859_1);
    }

    void readBody(Socket connection, String head) throws IOException {
      int length =
          head.lines()
              .filter(line -> line.startsWith("Content-Length: "))
              .mapToInt(line -> Integer.parseInt(line.substring(16)))
              .findFirst()
              .orElseThrow();
      bodies.add(new String(connection.getInputStream().readNBytes(length), ISO_8859_1));
    }

    @Override
    public void close() throws IOException {
      socket.close();
      for (Socket connection : open) {
        connection.close();
      }
    }
  }

  static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(ISO_8859_1));
  }

  static HttpClient client(URI uri) {
    return HttpClient.to(uri, LONG_NANOS);
  }

  static int post(HttpClient client) throws IOException {
    return post(client, BODY, LONG_NANOS);
  }

  static int post(HttpClient client, byte[] body, long nanos) throws IOException {
    return client.post(Map.of(), body, System.nanoTime() + nanos).status();
  }
}
