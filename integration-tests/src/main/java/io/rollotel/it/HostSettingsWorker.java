package io.rollotel.it;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.rollotel.annotations.Register;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.PasswordAuthentication;
import java.net.ProtocolException;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.security.Security;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ForkJoinPool;

/**
 * A host that sets up the JDK only after its first traced call has been exported. {@code settings},
 * and {@code metrics} for a host that has some, prints for each setting whether that still has an
 * effect; {@code callbacks}, which of those that it had registered before the call were asked on
 * behalf of the agent.
 */
public final class HostSettingsWorker {

  private static final Set<String> ASKED = new ConcurrentSkipListSet<>();

  /** A minute. A host whose sockets the agent uses waits in vain. */
  private static final int MOST_LOOKS = 3_000;

  private HostSettingsWorker() {}

  /** Takes what to do, and the file that is there once the call has been exported. */
  public static void main(String[] arguments) throws Exception {
    boolean registers = arguments[0].equals("callbacks");
    if (registers) {
      register();
    }
    if (arguments[0].equals("metrics")) {
      Metrics.record();
    }
    System.out.println("result " + train(Payload.traced()));
    File exported = new File(arguments[1]);
    for (int i = 0; exported.length() == 0 && i < MOST_LOOKS; i++) {
      Thread.sleep(20);
    }
    if (registers) {
      System.out.println("asked " + ASKED);
    } else {
      setAndLook();
    }
  }

  @Register(trace = true)
  private static int train(Payload payload) {
    return payload.getMetaInfo().size();
  }

  /** A class of its own, since only some runs have the API. */
  private static final class Metrics {
    static void record() {
      GlobalOpenTelemetry.getMeter("host").counterBuilder("calls").build().add(1);
    }
  }

  private static void setAndLook() throws Exception {
    System.setProperty("user.timezone", "Pacific/Kiritimati");
    say("user.timezone", TimeZone.getDefault().getID().equals("Pacific/Kiritimati"));
    System.setProperty("java.util.concurrent.ForkJoinPool.common.parallelism", "7");
    say(
        "java.util.concurrent.ForkJoinPool.common.parallelism",
        ForkJoinPool.commonPool().getParallelism() == 7);
    Security.setProperty("networkaddress.cache.ttl", "77");
    say("networkaddress.cache.ttl", addressSeconds() == 77);
    look(
        "java.net.useSystemProxies",
        () -> ProxySelector.getDefault().select(URI.create("http://127.0.0.1/")));

    try (Answers answers = new Answers()) {
      System.setProperty("http.agent", "host");
      System.setProperty("sun.net.http.allowRestrictedHeaders", "true");
      System.setProperty("http.keepAlive", "false");
      System.setProperty("http.maxRedirects", "3");
      HttpURLConnection connection = (HttpURLConnection) answers.url().openConnection();
      connection.setRequestProperty("Origin", "host");
      try {
        connection.getResponseCode();
        throw new IllegalStateException("redirected without an end, and came to one");
      } catch (ProtocolException redirectedTooOften) {
        say("http.maxRedirects", answers.heads.size() == 3);
      }
      String head = answers.heads.element();
      say("http.agent", head.contains("User-Agent: host Java/"));
      say("sun.net.http.allowRestrictedHeaders", head.contains("Origin: host"));
      say("http.keepAlive", head.contains("Connection: close"));
    }
  }

  private static void say(String name, boolean hasEffect) {
    System.out.println((hasEffect ? "effect " : "none ") + name);
  }

  /** Whether the JDK reads the setting now for the first time, which nothing shows from outside. */
  private static void look(String name, Runnable use) {
    Properties given = System.getProperties();
    Set<String> read = new TreeSet<>();
    System.setProperties(
        new Properties(given) {
          @Override
          public String getProperty(String key) {
            read.add(key);
            return super.getProperty(key);
          }
        });
    use.run();
    System.setProperties(given);
    say(name, read.contains(name));
  }

  private static int addressSeconds() throws ReflectiveOperationException {
    return (int) Class.forName("sun.net.InetAddressCachePolicy").getMethod("get").invoke(null);
  }

  @SuppressWarnings("deprecation") // as hosts do it
  private static void register() throws IOException {
    ProxySelector.setDefault(
        new ProxySelector() {
          @Override
          public List<Proxy> select(URI uri) {
            asked("ProxySelector");
            return List.of(Proxy.NO_PROXY);
          }

          @Override
          public void connectFailed(URI uri, SocketAddress address, IOException failure) {
            asked("ProxySelector");
          }
        });
    CookieHandler.setDefault(
        new CookieHandler() {
          @Override
          public Map<String, List<String>> get(URI uri, Map<String, List<String>> headers) {
            asked("CookieHandler");
            return Map.of();
          }

          @Override
          public void put(URI uri, Map<String, List<String>> headers) {
            asked("CookieHandler");
          }
        });
    Authenticator.setDefault(
        new Authenticator() {
          @Override
          protected PasswordAuthentication getPasswordAuthentication() {
            asked("Authenticator");
            return new PasswordAuthentication("host", new char[0]);
          }
        });
    Socket.setSocketImplFactory(
        () -> {
          asked("SocketImplFactory");
          throw new IllegalStateException("the host's sockets are not the agent's");
        });
    URL.setURLStreamHandlerFactory(
        protocol -> {
          asked("URLStreamHandlerFactory");
          return null;
        });
  }

  private static void asked(String who) {
    boolean isAgents =
        Thread.currentThread().getName().startsWith("roll-otel")
            || StackWalker.getInstance()
                .walk(
                    frames ->
                        frames.anyMatch(
                            frame ->
                                frame.getClassName().startsWith("io.rollotel.agent.")
                                    || frame.getClassName().startsWith("io.rollotel.traces.")
                                    || frame.getClassName().startsWith("io.opentelemetry.")));
    if (isAgents) {
      ASKED.add(who);
    }
  }

  /** A server that answers each request by a redirection to itself. */
  private static final class Answers implements AutoCloseable {

    final Queue<String> heads = new ConcurrentLinkedQueue<>();
    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

    Answers() throws IOException {
      Thread thread = new Thread(this::run, "answers");
      thread.setDaemon(true);
      thread.start();
    }

    URL url() throws IOException {
      return URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/").toURL();
    }

    private void run() {
      while (true) {
        try (Socket connection = socket.accept()) {
          ByteArrayOutputStream head = new ByteArrayOutputStream();
          InputStream in = connection.getInputStream();
          while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
            head.write(in.read());
          }
          heads.add(head.toString(StandardCharsets.ISO_8859_1));
          connection
              .getOutputStream()
              .write(
                  ("HTTP/1.1 302 Found\r\nLocation: "
                          + url()
                          + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                      .getBytes(StandardCharsets.ISO_8859_1));
        } catch (IOException closed) {
          return;
        }
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
