package io.rollotel.it;

import com.sun.net.httpserver.HttpServer;
import io.rollotel.annotations.Register;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;

/** Worker methods that call a tool over HTTP, in the same process. No OpenTelemetry in sight. */
@SuppressWarnings("roll-otel:no-carrier")
public final class ToolWorker {

  private ToolWorker() {}

  /**
   * A carried call with a request in it, which brings the same payload to another call, and a
   * suppressed one.
   */
  public static void main(String[] arguments) throws IOException {
    HttpServer tools =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    tools.createContext(
        "/",
        exchange -> {
          serve();
          store(Payload.traced());
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    tools.start();
    URI tool = URI.create("http://127.0.0.1:" + tools.getAddress().getPort() + "/tool");
    generate(Payload.traced(), tool);
    quiet(tool);
    tools.stop(0);
    System.out.println("done");
  }

  @Register(trace = true)
  private static void generate(Payload payload, URI tool) throws IOException {
    ask(tool);
    score();
  }

  @Register
  private static void quiet(URI tool) throws IOException {
    ask(tool);
  }

  @Register(trace = true)
  private static void score() {}

  @Register(trace = true)
  private static void serve() {}

  @Register(trace = true)
  private static void store(Payload payload) {}

  private static void ask(URI tool) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) tool.toURL().openConnection();
    System.out.println("answered " + connection.getResponseCode());
    connection.disconnect();
  }
}
