package io.rollotel.agent.export;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.testing.trace.TestSpanData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.rollotel.agent.span.OsSeededIdGenerator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** A directory for own files, and what is logged. */
abstract class FallbackExporterFixture {

  static final OsSeededIdGenerator IDS = OsSeededIdGenerator.create();

  /** In the agent's jar these lines go to the agent's log, here they would go to the console. */
  static final Logger SDK_LOGGER = Logger.getLogger("io.opentelemetry");

  @TempDir Path directory;

  @BeforeAll
  static void quiet() {
    SDK_LOGGER.setLevel(Level.OFF);
  }

  @AfterAll
  static void loud() {
    SDK_LOGGER.setLevel(null);
  }

  static String refusingEndpoint() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return "http://127.0.0.1:" + socket.getLocalPort();
    }
  }

  /** A receiver that is busy until it may answer. */
  static HttpServer answering(AtomicBoolean answers) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(answers.get() ? 200 : 503, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  // ----

  static SpanContext context() {
    return SpanContext.create(
        IDS.generateTraceId(),
        IDS.generateSpanId(),
        TraceFlags.getSampled(),
        TraceState.getDefault());
  }

  static SpanData span(String name) {
    return TestSpanData.builder()
        .setName(name)
        .setSpanContext(context())
        .setParentSpanContext(context())
        .setKind(SpanKind.INTERNAL)
        .setStartEpochNanos(1_000_000_001L)
        .setEndEpochNanos(1_000_000_002L)
        .setHasEnded(true)
        .setStatus(StatusData.error())
        .setAttributes(Attributes.of(AttributeKey.longKey("step"), 7L))
        .setInstrumentationScopeInfo(InstrumentationScopeInfo.create("worker"))
        .setResource(Resource.empty())
        .build();
  }
}
