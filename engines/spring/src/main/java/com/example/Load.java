package com.example;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32;

/**
 * Asks the shop so many times, from 32 threads at once, and writes a checksum of each kind of
 * answer to the file {@code answers}. The same number of requests always gives the same checksums.
 */
final class Load {

  private static final int THREADS = 32;
  private static final long START_NANOS = 120_000_000_000L;

  private final HttpClient client = HttpClient.newHttpClient();
  private final String shop;

  private Load(String shop) {
    this.shop = shop;
  }

  public static void main(String[] arguments) throws Exception {
    int requests = Integer.parseInt(arguments[0]);
    Load load = new Load("http://localhost:" + port());
    load.answer(request(load.shop + "/prime/1").build());
    load.run(requests);
    System.exit(0); // without waiting for the client's idle connections
  }

  /** Waits for the shop. */
  private static String port() throws Exception {
    Path file = Path.of("port");
    long deadline = System.nanoTime() + START_NANOS;
    while (!Files.exists(file)) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException("the shop has not started");
      }
      Thread.sleep(10);
    }
    return Files.readString(file);
  }

  private void run(int requests) throws Exception {
    String[] answers = new String[requests];
    AtomicInteger next = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      running.add(
          threads.submit(
              () -> {
                for (int at = next.getAndIncrement(); at < requests; at = next.getAndIncrement()) {
                  answers[at] = answer(request(at));
                }
                return null;
              }));
    }
    for (Future<?> each : running) {
      each.get();
    }
    threads.shutdown();
    List<String> kinds = List.of("prime", "invoice", "later");
    List<String> checksums = new ArrayList<>();
    for (int kind = 0; kind < kinds.size(); kind++) {
      CRC32 checksum = new CRC32();
      int count = 0;
      for (int at = kind; at < requests; at += kinds.size(), count++) {
        checksum.update(answers[at].getBytes(StandardCharsets.UTF_8));
      }
      checksums.add(kinds.get(kind) + " " + count + " " + checksum.getValue());
    }
    Files.write(Path.of("answers"), checksums);
  }

  private HttpRequest request(int at) {
    switch (at % 3) {
      case 0:
        return request(shop + "/prime/" + at * 1_000_003L).build();
      case 1:
        String order =
            """
            {"customer": "customer %d", "lines": [
              {"item": "bolts", "pieces": %d, "cents": 12},
              {"item": "nuts", "pieces": 7, "cents": %d},
              {"item": "bolts", "pieces": 1, "cents": 99}]}
            """
                .formatted(at, at % 50, at % 77);
        return request(shop + "/invoice")
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(order))
            .build();
      default:
        return request(shop + "/later?text=order" + at).build();
    }
  }

  private static HttpRequest.Builder request(String address) {
    return HttpRequest.newBuilder(URI.create(address));
  }

  private String answer(HttpRequest request) throws Exception {
    HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
    if (response.statusCode() != 200) {
      throw new IllegalStateException(request.uri() + " gave " + response.statusCode());
    }
    return response.body();
  }
}
