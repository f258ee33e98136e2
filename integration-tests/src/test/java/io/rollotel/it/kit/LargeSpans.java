package io.rollotel.it.kit;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.rollotel.traces.file.TracesReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** Spans of 20 KB each, so that few of them are as large as thousands of others: 40 MB in all. */
public final class LargeSpans {

  public static final String SERVICE = "large";

  public static final int SPANS_OF_A_TRACE = 10;
  public static final int SPANS = 2_000;
  private static final int SPANS_OF_A_REQUEST = 500;
  private static final String NAME = "large ".repeat(20_000 / 6);

  private LargeSpans() {}

  /** Sends all of them in four requests, each of which has to be taken. */
  public static void send(int grpcPort) throws Exception {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", grpcPort).usePlaintext().build();
    try {
      for (int first = 0; first < SPANS; first += SPANS_OF_A_REQUEST) {
        CompletableFuture<Status> answer = new CompletableFuture<>();
        GrpcExport.send(channel, request(first), "identity", answer::complete);
        assertThat(answer.get().isOk()).as("%s", answer.get()).isTrue();
      }
    } finally {
      channel.shutdownNow();
    }
  }

  private static byte[] request(int first) {
    SpanRequest request = new SpanRequest(SERVICE);
    for (int i = first; i < first + SPANS_OF_A_REQUEST; i++) {
      long trace = i / SPANS_OF_A_TRACE;
      long root = trace * SPANS_OF_A_TRACE + 1;
      long start = 1_800_000_000_000_000_000L + i;
      request.add(trace, i + 1, i + 1 == root ? 0 : root, NAME, start, start + 1, false, "");
    }
    return request.bytes();
  }

  /** The ids of their traces. */
  public static List<String> traceIds() {
    return IntStream.range(0, SPANS / SPANS_OF_A_TRACE).mapToObj(SpanRequest::traceId).toList();
  }

  /** How many of them are below a directory. */
  public static long in(Path directory) throws IOException {
    Set<String> ids = new HashSet<>();
    new TracesReader()
        .read(
            directory,
            span -> {
              if (span.name().equals(NAME)) {
                ids.add(span.spanId());
              }
            });
    return ids.size();
  }
}
