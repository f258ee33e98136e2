package io.rollotel.it;

import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.Register;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/**
 * A worker to which the agent is attached, and from which it is detached, while it runs. It obeys
 * each line of its input, answers it with a line that begins with {@code =}, and ends with its
 * input.
 */
public final class AttachedWorker {

  private static CountDownLatch held = new CountDownLatch(1);
  private static CompletableFuture<Integer> holding = CompletableFuture.completedFuture(0);

  private AttachedWorker() {}

  /**
   * Loads every class that it will use, and then waits for lines.
   *
   * @param arguments a folder of classes that cannot be changed, or none
   */
  public static void main(String[] arguments) throws Throwable {
    MethodHandle hidden =
        MethodHandles.dropArguments(MethodHandles.constant(int.class, 0), 0, Payload.class);
    if (arguments.length > 0) {
      hidden = hidden();
      load(Path.of(arguments[0]));
    }
    calls(hidden);
    System.out.println("= ready");
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      System.out.println("= " + answer(line, hidden));
    }
  }

  private static Object answer(String line, MethodHandle hidden) throws Throwable {
    return switch (line) {
      case "call" -> calls(hidden);
      case "hold" -> startToHold();
      case "release" -> {
        held.countDown();
        yield holding.get();
      }
      case "threads" -> threads();
      default -> throw new IllegalArgumentException(line);
    };
  }

  private static String startToHold() throws InterruptedException {
    held = new CountDownLatch(1);
    holding = new CompletableFuture<>();
    CountDownLatch entered = new CountDownLatch(1);
    Thread thread = new Thread(() -> holding.complete(hold(Payload.traced(), entered)));
    thread.setDaemon(true);
    thread.start();
    entered.await();
    return "held";
  }

  private static Set<String> threads() {
    System.gc(); // before JDK 21, the threads of an unused client wait for it to be collected
    Set<String> threads = new TreeSet<>();
    for (Thread running : Thread.getAllStackTraces().keySet()) {
      if (running.getName().matches("(roll-otel|HttpClient|HTTP-Dispatcher).*")) {
        threads.add(running.getName());
      }
    }
    return threads;
  }

  private static int calls(MethodHandle hidden) throws Throwable {
    Payload payload = Payload.traced();
    return train(payload, 1)
        + new Rollout(2).play(payload)
        + new Scoring() {}.score(payload)
        + listed(payload.getMetaInfo())
        + (int) hidden.invoke(payload);
  }

  @Register(trace = true)
  private static int train(Payload payload, int step) {
    return payload.getMetaInfo().size() + step;
  }

  @Register(trace = true)
  private static int hold(Payload payload, CountDownLatch entered) {
    entered.countDown();
    try {
      held.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return payload.getMetaInfo().size();
  }

  /** For ROLL_OTEL_METHODS. */
  @SuppressWarnings("roll-otel:meta-info-unused") // the list names it
  private static int listed(@MetaInfo Map<String, ?> metaInfo) {
    return metaInfo.size();
  }

  /** A record. */
  record Rollout(int length) {
    @Register(trace = true)
    int play(Payload payload) {
      return payload.getMetaInfo().size() + length;
    }
  }

  /** An interface. */
  interface Scoring {
    @Register(trace = true)
    default int score(Payload payload) {
      return payload.getMetaInfo().size();
    }
  }

  /** Defined again as a hidden class, which no agent changes. */
  static final class Hidden {
    private Hidden() {}

    @Register(trace = true)
    static int hide(Payload payload) {
      return payload.getMetaInfo().size();
    }
  }

  private static MethodHandle hidden() throws IOException, ReflectiveOperationException {
    try (InputStream in = AttachedWorker.class.getResourceAsStream("AttachedWorker$Hidden.class")) {
      MethodHandles.Lookup lookup =
          MethodHandles.lookup().defineHiddenClass(in.readAllBytes(), false);
      return lookup.findStatic(
          lookup.lookupClass(), "hide", MethodType.methodType(int.class, Payload.class));
    }
  }

  /** Loads a class that cannot be linked, because it needs a missing class. */
  @SuppressWarnings("resource") // open as long as the class is there
  private static void load(Path folder) throws IOException, ClassNotFoundException {
    URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()});
    fragile = Class.forName("Fragile", false, loader);
  }

  static Class<?> fragile = Object.class;
}
