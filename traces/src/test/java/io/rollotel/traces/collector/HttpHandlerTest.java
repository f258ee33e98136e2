package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.kit.Requests;
import io.rollotel.traces.page.LiveReport;
import io.rollotel.traces.report.ReportOptions;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connections that do not behave as the client of a library would. */
@Timeout(600)
class HttpHandlerTest {

  private static final String TOKEN = "5ecret";
  private static final int MAX_REQUEST_BYTES = 100_000;
  private static final int MAX_CONNECTIONS = 4;

  @TempDir Path dir;
  private final List<String> log = new CopyOnWriteArrayList<>();

  @Tag("campaign")
  @Test
  void requestsSentAtOnce_areAnsweredInTheirOrder() throws Exception {
    try (EmbeddedCollector collector = start(TimeUnit.MINUTES.toMillis(5));
        Sender sender = new Sender(collector)) {
      byte[] body = Requests.spans(1, 1);
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      for (int i = 0; i < 50; i++) {
        all.writeBytes(head("POST /v1/traces", body.length));
        all.writeBytes(body);
        all.writeBytes(head("GET /", 0));
        all.writeBytes(head("GET /nothing", 3));
        all.writeBytes("abc".getBytes(US_ASCII));
      }
      Thread sending = new Thread(() -> sender.send(all.toByteArray()));
      sending.start();
      for (int i = 0; i < 50; i++) {
        assertThat(sender.answer()).isEqualTo("200 0");
        assertThat(sender.answer()).matches("200 \\d{5,}");
        assertThat(sender.answer()).matches("404 \\d+");
      }
      sending.join();
    }
  }

  @Test
  void headOfThePage_tellsItsLengthWithoutIt() throws Exception {
    try (EmbeddedCollector collector = start(TimeUnit.MINUTES.toMillis(5));
        Sender sender = new Sender(collector)) {
      sender.send(head("HEAD /", 0));
      String head = sender.head();
      assertThat(head).startsWith("HTTP/1.1 200").containsPattern("(?i)content-length: \\d{5,}");
      sender.send(head("GET /status", 0));
      assertThat(sender.head()).startsWith("HTTP/1.1 200");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'GET /status HTTP/1.0\r\nAuthorization: Bearer 5ecret\r\n\r\n', 200",
    "'GET /status HTTP/1.1\r\nConnection: close\r\nAuthorization: Bearer 5ecret\r\n\r\n', 200",
    "'POST /v1/traces HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n', 401",
    "'POST /v1/traces HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n', 401",
    "'POST /v1/traces HTTP/1.1\r\nAuthorization: Bearer 5ecret\r\nContent-Type: "
        + "application/json\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n', 400",
    "'\u0016\u0003\u0001\r\n\r\n', 400",
    "'GET /%zz HTTP/1.1\r\n\r\n', 400"
  })
  void requestThatIsTheLastOfItsConnection_isAnsweredBeforeThatEnds(String request, int status)
      throws Exception {
    try (EmbeddedCollector collector = start(TimeUnit.MINUTES.toMillis(5));
        Sender sender = new Sender(collector)) {
      sender.send(request.getBytes(US_ASCII));
      assertThat(sender.answer()).startsWith(status + " ");
      if (!request.contains("%zz")) {
        assertThat(sender.in.read()).isEqualTo(-1);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'GET /%zz?token=5ecret HTTP/1.1\r\n\r\n', Malformed escape pair at index 1 of",
    "'GET /?token=5ecret|x HTTP/1.1\r\n\r\n', Illegal character in query at index 14 of",
    "'GET /?token=5ecret x HTTP/1.1\r\n\r\n', the first line or the headers",
    "'GET / HTTP/1.1\r\n5ecret\u0001\r\n\r\n', the first line or the headers",
    "'POST /v1/traces HTTP/1.1\r\nAuthorization: Bearer 5ecret\r\nContent-Type: "
        + "application/json\r\nTransfer-Encoding: chunked\r\n\r\n5ecret\r\n', a chunk is not",
  })
  void malformedRequest_isLoggedWithoutItsToken(String request, String said) throws Exception {
    try (EmbeddedCollector collector = start(TimeUnit.MINUTES.toMillis(5));
        Sender sender = new Sender(collector)) {
      sender.send(request.getBytes(US_ASCII));
      assertThat(sender.answer()).startsWith("400 ");
      assertThat(log).singleElement().asString().contains(said).doesNotContain(TOKEN);
    }
  }

  @Test
  void requestThatIsNotAllThereInTime_isCountedAndItsConnectionClosed() throws Exception {
    try (EmbeddedCollector collector = start(100);
        Sender sender = new Sender(collector)) {
      sender.send(head("POST /v1/traces", 1000));
      assertThat(sender.in.read()).isEqualTo(-1);
      assertThat(collector.summary()).contains("1 stalled");
    }
  }

  /** Two do not fit; the second gets what the first has reserved when the first is gone. */
  @Tag("campaign")
  @Test
  void requestWithoutRoom_waitsAndIsThenToldToTryAgain() throws Exception {
    try (EmbeddedCollector collector = start(TimeUnit.MINUTES.toMillis(5));
        Sender first = new Sender(collector);
        Sender second = new Sender(collector)) {
      String waits = new String(head("POST /v1/traces", MAX_REQUEST_BYTES), US_ASCII);
      first.send(waits.replace("Host", "Expect: 100-continue\r\nHost").getBytes(US_ASCII));
      assertThat(first.head()).startsWith("HTTP/1.1 100");
      byte[] whole = new byte[MAX_REQUEST_BYTES];
      second.send(head("POST /v1/traces", whole.length));
      second.send(whole);
      // Only its own bytes are there, and it waits for room.
      String answer = second.head();
      assertThat(answer).startsWith("HTTP/1.1 429").containsIgnoringCase("retry-after: 1");
      second.skip(answer);
      first.close();
      String status = "429";
      while (status.startsWith("429")) { // until the end of the first is noticed
        second.send(head("POST /v1/traces", whole.length));
        second.send(whole);
        status = second.answer();
      }
      assertThat(status).startsWith("400 ");
    }
  }

  @Tag("campaign")
  @Test
  void halfRequestsWithoutToken_shutOutNobody() throws Exception {
    List<Sender> strangers = new ArrayList<>();
    try (EmbeddedCollector collector = start(TimeUnit.HOURS.toMillis(1))) {
      for (int i = 0; i < 30 * MAX_CONNECTIONS; i++) {
        Sender stranger = new Sender(collector);
        strangers.add(stranger);
        stranger.send("POST /v1/traces HTTP/1.1\r\nContent-Length: 90000\r\n".getBytes(US_ASCII));
      }
      try (Sender sender = new Sender(collector)) {
        byte[] body = Requests.spans(1, 1);
        sender.send(head("POST /v1/traces", body.length));
        sender.send(body);
        assertThat(sender.answer()).isEqualTo("200 0");
      }
      assertThat(log).anyMatch(line -> line.contains("half used"));
    } finally {
      for (Sender stranger : strangers) {
        stranger.close();
      }
    }
  }

  /** More senders than connections, each of which keeps its own open. */
  @Test
  void idleConnections_giveWayToOthersWithoutACount() throws Exception {
    List<Sender> senders = new ArrayList<>();
    try (EmbeddedCollector collector = start(TimeUnit.HOURS.toMillis(1))) {
      for (int i = 0; i < 5 * MAX_CONNECTIONS; i++) {
        Sender sender = new Sender(collector);
        senders.add(sender);
        sender.send(head("GET /status", 0));
        assertThat(sender.answer()).startsWith("200 ");
      }
      assertThat(collector.refused()).isZero();
    } finally {
      for (Sender sender : senders) {
        sender.close();
      }
    }
  }

  @Test
  void closedCollector_leavesNoThreadThatKeepsTheJvmAlive() throws Exception {
    try (EmbeddedCollector collector = start(TimeUnit.MINUTES.toMillis(5));
        Sender sender = new Sender(collector)) {
      sender.send(head("GET /status", 0));
      assertThat(sender.answer()).startsWith("200 ");
    }
    assertThat(Thread.getAllStackTraces().keySet())
        .filteredOn(thread -> thread.getName().startsWith("globalEventExecutor"))
        .isEmpty();
  }

  /** A client on a slow line, or one that has stopped to read. */
  @ParameterizedTest
  @CsvSource({"20, true", "40, false"})
  void largeAnswer_takesAsLongAsItsPiecesGoOut(int secondsPerPiece, boolean isWhole)
      throws Exception {
    CollectorSettings settings = CollectorSettings.ofDriver(); // 30 seconds
    RequestWriter writer = RequestWriter.open(dir.toFile(), TOKEN, settings, line -> {});
    try {
      LivePage page = new LivePage(new LiveReport(dir, ReportOptions.latestRun()), writer, false);
      SlowLine line = new SlowLine();
      FromLoopback channel = new FromLoopback();
      channel
          .pipeline()
          .addLast(
              line,
              new HttpHandler(
                  new HttpEndpoint(writer, settings.limits(), page), writer, settings.limits()));
      channel.freezeTime();
      DefaultFullHttpRequest request =
          new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/");
      request.headers().set("Host", "localhost").set("Connection", "close");
      channel.writeInbound(request);
      line.waiting.remove().setSuccess(); // its head
      assertThat(line.waiting).hasSizeGreaterThan(3);
      while (channel.isOpen() && !line.waiting.isEmpty()) {
        channel.advanceTimeBy(secondsPerPiece, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
        if (channel.isOpen()) {
          line.waiting.remove().setSuccess();
        }
      }
      assertThat(line.waiting.isEmpty()).isEqualTo(isWhole);
      assertThat(channel.isOpen()).isFalse();
    } finally {
      writer.close();
    }
  }

  /** What was written and is not yet sent. */
  private static final class SlowLine extends ChannelOutboundHandlerAdapter {

    final Queue<ChannelPromise> waiting = new ArrayDeque<>();

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      ReferenceCountUtil.release(message);
      waiting.add(promise);
    }
  }

  private static final class FromLoopback extends EmbeddedChannel {

    @Override
    protected SocketAddress remoteAddress0() {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    }
  }

  private EmbeddedCollector start(long patienceMillis) throws IOException {
    CollectorSettings settings =
        new CollectorSettings(
            CollectorSettings.Kind.EMBEDDED,
            InetAddress.getLoopbackAddress(),
            0,
            CollectorSettings.NONE,
            null,
            new CollectorSettings.Limits(
                MAX_REQUEST_BYTES, 150_000, MAX_CONNECTIONS, 8, patienceMillis),
            FileRules.DEFAULT,
            new CollectorSettings.Page(true, null));
    return EmbeddedCollector.start(dir.toFile(), TOKEN, settings, log::add);
  }

  private static byte[] head(String line, int length) {
    return (line
            + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n"
            + "Authorization: Bearer "
            + TOKEN
            + "\r\nContent-Length: "
            + length
            + "\r\n\r\n")
        .getBytes(US_ASCII);
  }

  private static final class Sender implements Closeable {

    private final Socket socket;
    final InputStream in;

    Sender(EmbeddedCollector collector) throws IOException {
      socket = new Socket(InetAddress.getLoopbackAddress(), collector.endpoint().getPort());
      in = socket.getInputStream();
    }

    /** Whether all of it is taken or the other side has closed. */
    void send(byte[] bytes) {
      try {
        socket.getOutputStream().write(bytes);
      } catch (IOException e) {
        // the answer says why
      }
    }

    String head() throws IOException {
      ByteArrayOutputStream head = new ByteArrayOutputStream();
      while (!head.toString(US_ASCII).endsWith("\r\n\r\n")) {
        int next = in.read();
        assertThat(next).as("after '%s'", head).isNotNegative();
        head.write(next);
      }
      return head.toString(US_ASCII);
    }

    /** Reads the body that belongs to a head; its length. */
    int skip(String head) throws IOException {
      int length = Integer.parseInt(head.replaceAll("(?is).*content-length: (\\d+).*", "$1"));
      in.skipNBytes(length);
      return length;
    }

    /** Status and length of the next answer. */
    String answer() throws IOException {
      String head = head();
      return head.substring(9, 12) + " " + skip(head);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
