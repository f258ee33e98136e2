package io.rollotel.it.kit;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** Forwards connections to a port of this host, as well as the network allows at the time. */
public final class FaultyNetwork implements AutoCloseable {

  /** How the network is. */
  public enum State {
    GOOD,
    /** Each piece takes 200 ms. */
    SLOW,
    /** Nothing arrives, and neither side learns of it. */
    SILENT,
    /** Connections break, and new ones are not accepted. */
    LOST
  }

  private static final byte[] HTTP2 = "PRI * HTTP/2.0".getBytes(US_ASCII);
  private final ServerSocket server;
  private volatile int port;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile State state = State.GOOD;
  private volatile int statusForHttp1; // 0: requests pass

  private FaultyNetwork(ServerSocket server, int port) {
    this.server = server;
    this.port = port;
  }

  public static FaultyNetwork to(int port) throws IOException {
    return of(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), port);
  }

  /** Listens on this port, by an address of this host that nobody else uses. */
  public static FaultyNetwork on(int ownPort, int port) throws IOException {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    String address = "127.43." + random.nextInt(256) + "." + random.nextInt(1, 255);
    return of(new ServerSocket(ownPort, 50, InetAddress.getByName(address)), port);
  }

  private static FaultyNetwork of(ServerSocket server, int port) {
    FaultyNetwork network = new FaultyNetwork(server, port);
    inBackground(network::accept);
    return network;
  }

  /** Where it listens, as a URL. */
  public String url() {
    return "http://" + address() + ":" + port();
  }

  /** The address on which it listens. */
  public String address() {
    return server.getInetAddress().getHostAddress();
  }

  /** Where it listens. */
  public int port() {
    return server.getLocalPort();
  }

  /** From now on it leads to another port. */
  public void lead(int newPort) {
    port = newPort;
  }

  /**
   * From now on a request of HTTP/1.1 is answered by this status, as by a server of HTTP/2 alone.
   */
  public void takeHttp2Alone(int status) {
    statusForHttp1 = status;
  }

  public void set(State newState) throws IOException {
    state = newState;
    if (newState == State.LOST) {
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  private void accept() throws IOException {
    while (true) {
      Socket outside = server.accept();
      open.add(outside);
      if (state == State.LOST) {
        outside.close();
        continue;
      }
      if (statusForHttp1 != 0) {
        inBackground(() -> takeHttp2(outside));
        continue;
      }
      lead(outside, new byte[0]);
    }
  }

  private void takeHttp2(Socket outside) throws IOException {
    byte[] start = outside.getInputStream().readNBytes(HTTP2.length);
    if (Arrays.equals(start, HTTP2)) {
      lead(outside, start);
      return;
    }
    try (outside) {
      outside
          .getOutputStream()
          .write(
              ("HTTP/1.1 "
                      + statusForHttp1
                      + " No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                  .getBytes(US_ASCII));
      outside.shutdownOutput();
      outside.getInputStream().transferTo(OutputStream.nullOutputStream());
    }
  }

  private void lead(Socket outside, byte[] start) throws IOException {
    try {
      Socket inside = new Socket(InetAddress.getLoopbackAddress(), port);
      open.add(inside);
      inside.getOutputStream().write(start);
      inBackground(() -> copy(outside, inside));
      inBackground(() -> copy(inside, outside));
    } catch (IOException nobodyListens) {
      outside.close();
    }
  }

  private void copy(Socket from, Socket to) throws IOException {
    byte[] buffer = new byte[16 << 10];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        await();
        out.write(buffer, 0, count);
        out.flush();
      }
    } finally {
      open.remove(from);
      open.remove(to);
    }
  }

  private void await() throws IOException {
    try {
      if (state == State.SLOW) {
        Thread.sleep(200);
      }
      while (state == State.SILENT) {
        Thread.sleep(20);
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void inBackground(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException broken) {
                // Closed by the test, or by either end.
              }
            },
            "faulty-network");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    server.close();
    set(State.LOST);
  }
}
