package com.example;

import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What {@link Load} asks for: text, JSON, and an answer that comes later. */
@RestController
class Orders {

  record Order(String customer, List<Line> lines) {}

  record Line(String item, int pieces, long cents) {}

  record Invoice(String customer, Map<String, Long> cents, long total) {}

  private final ThreadPoolTaskExecutor executor;

  Orders(ThreadPoolTaskExecutor executor) {
    this.executor = executor;
  }

  @GetMapping("/prime/{number}")
  String prime(@PathVariable("number") long number) {
    return BigInteger.valueOf(number).nextProbablePrime().toString();
  }

  @PostMapping("/invoice")
  Invoice invoice(@RequestBody Order order) {
    Map<String, Long> cents = new TreeMap<>();
    for (Line line : order.lines()) {
      cents.merge(line.item(), line.pieces() * line.cents(), Long::sum);
    }
    long total = cents.values().stream().mapToLong(Long::longValue).sum();
    return new Invoice(order.customer(), cents, total);
  }

  @GetMapping("/later")
  CompletableFuture<String> later(@RequestParam("text") String text) {
    return CompletableFuture.supplyAsync(
        () -> new StringBuilder(text).reverse().toString(), executor);
  }
}
