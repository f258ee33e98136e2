package io.rollotel.it.kit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;

/**
 * Senders that send on and on, each request as soon as the one before it is answered, whatever the
 * answer is: none holds back as it is told to.
 */
public final class CollectorLoad implements AutoCloseable {

  /** A client keeps a refused request until it has sent all of it. */
  private static final long MAX_UNSENT_BYTES = 2L << 30;

  private static final Executor LATER =
      CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS);

  /** Gives memory back once it is sent: Netty's pool, which all clients share, would keep it. */
  private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);

  private final CollectProcess collector;
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong accepted = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean isOver;

  public CollectorLoad(CollectProcess collector) {
    this.collector = collector;
  }

  /** Frames and requests whose sending was begun so far. */
  public long sent() {
    return sent.get();
  }

  /** Requests that were acknowledged so far. */
  public long accepted() {
    return accepted.get();
  }

  /** Requests that were answered otherwise, and connections that were closed. */
  public long refused() {
    return refused.get();
  }

  /** OTLP/gRPC, with so many requests at once on each connection. */
  public void grpc(int connections, int streams, byte[] request, String compression) {
    for (int i = 0; i < connections; i++) {
      ManagedChannel channel =
          NettyChannelBuilder.forAddress("127.0.0.1", collector.grpcPort())
              .usePlaintext()
              .withOption(ChannelOption.ALLOCATOR, memory)
              .directExecutor()
              .disableRetry()
              .build();
      channels.add(channel);
      for (int stream = 0; stream < streams; stream++) {
        call(channel, request, compression);
      }
    }
  }

  private void call(ManagedChannel channel, byte[] request, String compression) {
    if (isOver) {
      return;
    }
    if (memory.metric().usedDirectMemory() > MAX_UNSENT_BYTES) {
      LATER.execute(() -> call(channel, request, compression));
      return;
    }
    sent.incrementAndGet();
    GrpcExport.send(
        channel,
        request,
        compression,
        status -> {
          (status.isOk() ? accepted : refused).incrementAndGet();
          call(channel, request, compression);
        });
  }

  /**
   * OTLP/gRPC that ignores flow control, in data frames of this size, of requests that never end:
   * this many on each connection.
   */
  public void frames(int connections, int streams, int frameBytes) {
    for (int i = 0; i < connections; i++) {
      thread(() -> sendFrames(streams, frameBytes));
    }
  }

  private void sendFrames(int streams, int frameBytes) throws IOException {
    try (Socket socket = connect(collector.grpcPort())) {
      Thread answers = new Thread(() -> ignoreAnswers(socket), "load-answers");
      answers.setDaemon(true);
      answers.start(); // it ends with the socket
      OutputStream out = new BufferedOutputStream(socket.getOutputStream(), 1 << 16);
      out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
      frame(out, 4, 0, 0, new byte[0]); // SETTINGS, then their acknowledgement
      frame(out, 4, 1, 0, new byte[0]);
      ByteArrayOutputStream headers = new ByteArrayOutputStream();
      header(headers, ":method", "POST");
      header(headers, ":scheme", "http");
      header(headers, ":path", "/" + GrpcExport.NAME);
      header(headers, ":authority", "x");
      header(headers, "content-type", "application/grpc");
      header(headers, "te", "trailers");
      for (int stream = 1; stream < 2 * streams; stream += 2) {
        frame(out, 1, 4, stream, headers.toByteArray());
        frame(out, 0, 0, stream, new byte[] {0, 0, (byte) 0xf0, 0, 0}); // of a message of 15 MiB
      }
      byte[] data = new byte[frameBytes];
      while (!isOver) {
        for (int stream = 1; stream < 2 * streams; stream += 2) {
          frame(out, 0, 0, stream, data);
        }
        sent.addAndGet(streams);
      }
    }
  }

  private static void ignoreAnswers(Socket socket) {
    try {
      socket.getInputStream().transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // closed
    }
  }

  private static void frame(OutputStream out, int type, int flags, int stream, byte[] payload)
      throws IOException {
    out.write(payload.length >> 16);
    out.write(payload.length >> 8);
    out.write(payload.length);
    out.write(type);
    out.write(flags);
    out.write(stream >> 24);
    out.write(stream >> 16);
    out.write(stream >> 8);
    out.write(stream);
    out.write(payload);
  }

  /** A literal header field without indexing (RFC 7541, 6.2.2). */
  private static void header(ByteArrayOutputStream out, String name, String value) {
    out.write(0);
    out.write(name.length());
    out.writeBytes(name.getBytes(US_ASCII));
    out.write(value.length());
    out.writeBytes(value.getBytes(US_ASCII));
  }

  /** OTLP/HTTP, the body in pieces of this size with a pause between them, or 0 for all at once. */
  public void http(int connections, byte[] body, String type, boolean isGzip, int pieceBytes) {
    byte[] head =
        ("POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                + type
                + (isGzip ? "\r\nContent-Encoding: gzip" : "")
                + "\r\nContent-Length: "
                + body.length
                + "\r\n\r\n")
            .getBytes(US_ASCII);
    for (int i = 0; i < connections; i++) {
      thread(
          () -> {
            try (Socket socket = connect(collector.httpPort())) {
              InputStream in = new BufferedInputStream(socket.getInputStream());
              OutputStream out = socket.getOutputStream();
              while (!isOver) {
                out.write(head);
                sent.incrementAndGet();
                send(out, body, pieceBytes == 0 ? body.length : pieceBytes);
                (status(in) == 200 ? accepted : refused).incrementAndGet();
              }
            }
          });
    }
  }

  private void send(OutputStream out, byte[] body, int pieceBytes)
      throws IOException, InterruptedException {
    for (int at = 0; at < body.length && !isOver; at += pieceBytes) {
      out.write(body, at, Math.min(pieceBytes, body.length - at));
      if (pieceBytes < body.length) {
        Thread.sleep(20);
      }
    }
  }

  private static int status(InputStream in) throws IOException {
    String status = line(in);
    int length = 0;
    for (String header = line(in); !header.isEmpty(); header = line(in)) {
      if (header.regionMatches(true, 0, "Content-length:", 0, 15)) {
        length = Integer.parseInt(header.substring(15).trim());
      }
    }
    in.skipNBytes(length);
    return Integer.parseInt(status.split(" ")[1]);
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new IOException("closed");
      }
      line.write(next);
    }
    return line.toString(UTF_8).strip();
  }

  private static Socket connect(int port) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), port);
  }

  private interface Sending {
    void run() throws IOException, InterruptedException;
  }

  /** A sender that starts again when its connection is closed. */
  private void thread(Sending sending) {
    Thread thread =
        new Thread(
            () -> {
              while (!isOver) {
                try {
                  sending.run();
                } catch (IOException e) {
                  refused.incrementAndGet();
                } catch (InterruptedException e) {
                  return;
                }
              }
            },
            "load");
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  @Override
  public void close() throws InterruptedException {
    isOver = true;
    channels.forEach(ManagedChannel::shutdownNow);
    collector.close(); // which ends the connections too
    for (ManagedChannel channel : channels) {
      channel.awaitTermination(Patience.MINUTES, TimeUnit.MINUTES);
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** A request of spans, as large as this in protobuf. */
  public static byte[] request(int bytes) {
    ByteArrayOutputStream spans = new ByteArrayOutputStream();
    Random random = new Random(1);
    while (spans.size() < bytes) {
      ByteArrayOutputStream span = new ByteArrayOutputStream();
      byte[] traceId = new byte[16];
      random.nextBytes(traceId);
      byte[] spanId = new byte[8];
      random.nextBytes(spanId);
      Protobuf.field(span, 1, traceId);
      Protobuf.field(span, 2, spanId);
      Protobuf.field(span, 5, "worker.train".getBytes(UTF_8));
      for (int i = 0; i < 6; i++) {
        ByteArrayOutputStream value = new ByteArrayOutputStream();
        Protobuf.field(value, 1, ("value " + random.nextInt(1000)).getBytes(UTF_8));
        ByteArrayOutputStream attribute = new ByteArrayOutputStream();
        Protobuf.field(attribute, 1, ("worker.attribute" + i).getBytes(UTF_8));
        Protobuf.field(attribute, 2, value.toByteArray());
        Protobuf.field(span, 9, attribute.toByteArray());
      }
      Protobuf.field(spans, 2, span.toByteArray());
    }
    return Protobuf.message(1, Protobuf.message(2, spans.toByteArray()));
  }

  /** A request of spans in JSON, as large as this, with texts that are so long. */
  public static byte[] json(int bytes, int textLength) {
    StringBuilder json = new StringBuilder("{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[");
    String text = "n".repeat(textLength);
    for (long id = 1; json.length() < bytes; id++) {
      json.append(id == 1 ? "" : ",");
      json.append("{\"traceId\":\"").append("1".repeat(32));
      json.append("\",\"spanId\":\"").append(String.format("%016x", id));
      json.append("\",\"name\":\"worker.train\",\"startTimeUnixNano\":\"1795245881708247994\"");
      json.append(",\"attributes\":[");
      for (int i = 0; i < 6 && (i == 0 || json.length() < bytes); i++) {
        json.append(i == 0 ? "" : ",").append("{\"key\":\"worker.attribute").append(i);
        json.append("\",\"value\":{\"stringValue\":\"").append(text).append("\"}}");
      }
      json.append("]}");
    }
    return json.append("]}]}]}").toString().getBytes(UTF_8);
  }

  public static byte[] gzip(byte[] content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      out.write(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
