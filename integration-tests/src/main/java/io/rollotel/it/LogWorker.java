package io.rollotel.it;

import io.rollotel.annotations.Register;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/** Logs inside worker spans and outside, through one of three libraries. */
public final class LogWorker {

  private static Consumer<String> log = System.out::println;

  private LogWorker() {}

  /** Takes the library, and whether its first line comes before the first span. */
  public static void main(String[] arguments) throws Exception {
    boolean early = arguments[1].equals("early");
    ExecutorService pool = Executors.newSingleThreadExecutor();
    if (early) {
      open(arguments[0]);
      log.accept("before");
    } else {
      first(Payload.traced());
      open(arguments[0]);
    }
    inside(Payload.traced());
    log.accept("between");
    outer(Payload.traced());
    try {
      throwing(Payload.traced());
    } catch (IllegalStateException expected) {
      log.accept("caught");
    }
    async(Payload.traced(), pool).join();
    pool.submit(() -> log.accept("pool")).get();
    quiet(Payload.traced());
    log.accept("after");
    pool.shutdown();
    System.out.println("left " + left(arguments[0]));
  }

  private static void open(String library) {
    log =
        switch (library) {
          case "logback" -> Logback.open();
          case "log4j" -> Log4j.open();
          default -> Jul.open();
        };
  }

  private static Object left(String library) {
    return switch (library) {
      case "logback" -> org.slf4j.MDC.getCopyOfContextMap();
      case "log4j" -> org.apache.logging.log4j.ThreadContext.getContext();
      default -> Map.of("user", "u1");
    };
  }

  /** Only the requested one is loaded. */
  private static final class Logback {
    static Consumer<String> open() {
      org.slf4j.MDC.put("user", "u1");
      return org.slf4j.LoggerFactory.getLogger("acme")::info;
    }
  }

  private static final class Log4j {
    static Consumer<String> open() {
      org.apache.logging.log4j.ThreadContext.put("user", "u1");
      org.apache.logging.log4j.Logger logger =
          org.apache.logging.log4j.LogManager.getLogger("acme");
      return text -> logger.info(text);
    }
  }

  private static final class Jul {
    static final List<java.util.logging.Logger> KEPT =
        List.of(java.util.logging.Logger.getLogger("acme"));

    static Consumer<String> open() {
      return KEPT.get(0)::info;
    }
  }

  @Register(trace = true)
  private static void first(Payload payload) {}

  @Register(trace = true)
  private static void inside(Payload payload) {
    log.accept("inside");
  }

  @Register(trace = true)
  private static void outer(Payload payload) {
    log.accept("outer, before");
    inner(payload);
    log.accept("outer, after");
  }

  @Register(trace = true)
  private static void inner(Payload payload) {
    log.accept("inner");
  }

  @Register(trace = true)
  private static void throwing(Payload payload) {
    log.accept("throwing");
    throw new IllegalStateException("expected");
  }

  @Register(trace = true)
  private static CompletableFuture<Void> async(Payload payload, ExecutorService pool) {
    return CompletableFuture.runAsync(() -> log.accept("async"), pool);
  }

  @Register
  private static void quiet(Payload payload) {
    log.accept("quiet");
  }
}
