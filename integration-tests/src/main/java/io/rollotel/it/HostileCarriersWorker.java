package io.rollotel.it;

import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;
import io.rollotel.telemetry.TraceContext;
import java.lang.ref.WeakReference;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Thousands of carriers made to break whoever reads or writes them, from a seed. Every call is one
 * of a traced method, of a dispatch or of {@link TraceContext}; what goes wrong is printed with the
 * number of its case, what should have become of a call is printed as well.
 */
public final class HostileCarriersWorker {

  /** One in this many is checked for being collected. */
  private static final int SAMPLE = 10;

  private static final String PARENT = "00-" + Payload.TRACE_ID + "-" + Payload.SPAN_ID + "-01";
  private static final String ALPHABET = "0123456789abcdefABCDEFg-_ \t\n\0\u00e9\uff11,=;";

  /** W3C's grammar, written down a second time. */
  private static final Pattern VALID =
      Pattern.compile(
          "(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?",
          Pattern.DOTALL);

  /** Text that may surround a header. */
  private static final Pattern BLANKS = Pattern.compile("\\A[ \t]+|[ \t]+\\z");

  private final Random random;
  private final List<WeakReference<Object>> sample = new ArrayList<>();

  private HostileCarriersWorker(long seed) {
    random = new Random(seed);
  }

  /** Takes the seed and the number of cases. */
  public static void main(String[] arguments) {
    HostileCarriersWorker worker = new HostileCarriersWorker(Long.parseLong(arguments[0]));
    int cases = Integer.parseInt(arguments[1]);
    int good = 0;
    for (int i = 0; i < cases; i++) {
      good += worker.run(i) ? 1 : 0;
    }
    System.out.println("good " + good);
    System.out.println("retained " + worker.retained());
  }

  // ---- a case

  private boolean run(int number) {
    Hostile hostile = hostile(number);
    if (number % SAMPLE == 0) {
      sample.add(new WeakReference<>(hostile.metaInfo));
    }
    if (hostile.becomes != null) {
      System.out.println("case " + number + " " + hostile.becomes);
    }
    Context before = Context.current();
    String name = Integer.toString(number);
    try {
      Object result = new Object();
      boolean good = takeMap(hostile.metaInfo, result, name) == result;
      good &= takePayload(new HostilePayload(hostile.metaInfo), result, "") == result;
      good &= takeMany(List.of(new HostilePayload(hostile.metaInfo)), result, "") == result;
      good &= untraced(hostile.metaInfo, result) == result;
      good &= send(hostile.metaInfo, result) == result;
      good &= TraceContext.inject(hostile.metaInfo) == hostile.metaInfo;
      try (Scope scope = TraceContext.attach(hostile.metaInfo)) {
        good &= takeMap(hostile.metaInfo, result, "") == result;
      }
      good &= Context.current() == before;
      if (!good) {
        System.out.println("case " + number + " is changed");
      }
      return good;
    } catch (Throwable t) {
      System.out.println("case " + number + " threw " + t.getClass());
      return false;
    }
  }

  /** How many of the sample are still there after a while of collecting. */
  private long retained() {
    long left = sample.size();
    for (int attempt = 0; attempt < 50 && left > 0; attempt++) {
      System.gc();
      left = sample.stream().filter(reference -> reference.get() != null).count();
    }
    return left;
  }

  // ---- what a case is

  /**
   * A meta_info.
   *
   * @param becomes what a call with it becomes: {@code suppressed}, {@code root}, or the parent's
   *     ids; null if nobody can tell
   */
  private record Hostile(Map<String, Object> metaInfo, @Nullable String becomes) {}

  private Hostile hostile(int number) {
    return switch (number % 10) {
      case 0, 1 -> mutated(number);
      case 2 -> carrying(nonsense(3), "root");
      case 3 -> carrying(headersOf(nonsense(3)), null);
      case 4 -> carrying(new Throwing(random.nextInt(), throwable()), null);
      case 5 -> new Hostile(new Throwing(random.nextInt(), throwable()), null);
      case 6 -> new Hostile(cyclic(), null);
      case 7 -> random.nextBoolean() ? new Hostile(sorted(), null) : carrying(sorted(), null);
      case 8 -> new Hostile(new Restless(random.nextInt()), null);
      default -> giant();
    };
  }

  /** One place of a valid traceparent is changed, each place in turn, or the text is cut there. */
  private Hostile mutated(int number) {
    int place = number / 10 % PARENT.length();
    char with = ALPHABET.charAt(random.nextInt(ALPHABET.length()));
    String text =
        switch (random.nextInt(4)) {
          case 0 -> PARENT.substring(0, place);
          case 1 -> PARENT.substring(0, place) + with + PARENT.substring(place);
          default -> PARENT.substring(0, place) + with + PARENT.substring(place + 1);
        };
    return carrying(headersOf(text), parent(BLANKS.matcher(text).replaceAll("")));
  }

  private static String parent(String traceparent) {
    var matcher = VALID.matcher(traceparent);
    boolean valid =
        matcher.matches() && (!traceparent.startsWith("00") || matcher.group(3) == null);
    // Not sampled: a child that is not recorded.
    return !valid
        ? "root"
        : (Integer.parseInt(traceparent.substring(53, 55), 16) & 1) == 0
            ? "suppressed"
            : matcher.group(1) + " " + matcher.group(2);
  }

  private Hostile giant() {
    String giant = String.valueOf((char) ('0' + random.nextInt(10))).repeat(1 << 20);
    return switch (random.nextInt(4)) {
      case 0 -> carrying(giant, "root");
      case 1 -> carrying(headersOf(giant), "root");
      case 2 -> carrying(headersOf("cc" + PARENT.substring(2) + "-" + giant), "root");
      default -> {
        Map<String, Object> headers = headersOf(PARENT);
        headers.put("tracestate", "vendor=" + giant);
        headers.put("roll.sent_at", giant);
        yield carrying(headers, Payload.TRACE_ID + " " + Payload.SPAN_ID);
      }
    };
  }

  private static Hostile carrying(@Nullable Object context, @Nullable String becomes) {
    Map<String, Object> metaInfo = new HashMap<>();
    put(metaInfo, "_otel_ctx", context);
    return new Hostile(metaInfo, becomes);
  }

  private static Map<String, Object> headersOf(@Nullable Object traceparent) {
    Map<String, Object> headers = new HashMap<>();
    put(headers, "traceparent", traceparent);
    put(headers, "tracestate", traceparent);
    put(headers, "roll.sent_at", traceparent);
    return headers;
  }

  /** Anything but a map of headers. */
  private @Nullable Object nonsense(int depth) {
    return switch (random.nextInt(depth > 0 ? 12 : 8)) {
      case 0 -> null;
      case 1 -> random.nextLong();
      case 2 -> PARENT;
      case 3 -> new byte[random.nextInt(64)];
      case 4 -> new Object();
      case 5 -> Thread.currentThread();
      case 6 -> PARENT.toCharArray();
      case 7 -> java.nio.CharBuffer.wrap(PARENT);
      // Not the text itself: that a list has the header in it is allowed.
      case 8 -> Collections.singletonList(Collections.singletonList(nonsense(depth - 1)));
      case 9 -> new Object[] {nonsense(depth - 1)};
      case 10 -> Collections.singletonMap(nonsense(depth - 1), nonsense(depth - 1));
      default -> {
        Map<@Nullable Object, @Nullable Object> nulls = new HashMap<>();
        nulls.put(null, nonsense(depth - 1));
        nulls.put("traceparent", null);
        yield nulls;
      }
    };
  }

  private Map<String, Object> cyclic() {
    Map<String, Object> outer = new HashMap<>();
    Map<String, Object> inner = random.nextBoolean() ? outer : new ConcurrentHashMap<>();
    outer.put("_otel_ctx", inner);
    inner.put(random.nextBoolean() ? "traceparent" : "_otel_ctx", outer);
    inner.put("roll.sent_at", inner);
    return outer;
  }

  /** Whose comparator takes keys for something else, or thinks all of them equal. */
  private Map<String, Object> sorted() {
    Comparator<String> comparator =
        switch (random.nextInt(3)) {
          case 0 -> Comparator.comparing(Integer::valueOf);
          case 1 -> (left, right) -> 0;
          default -> Comparator.comparing(key -> key.charAt(100 - key.length()));
        };
    TreeMap<String, Object> sorted = new TreeMap<>(comparator);
    try {
      sorted.put("1", random.nextBoolean() ? PARENT : headersOf(PARENT));
    } catch (RuntimeException itsOwnComparator) {
      // empty then
    }
    return sorted;
  }

  private Throwable throwable() {
    return switch (random.nextInt(7)) {
      case 0 -> new IllegalStateException("not yours");
      case 1 -> new NullPointerException();
      case 2 -> new StackOverflowError();
      case 3 -> new OutOfMemoryError("so it says");
      case 4 -> new NoClassDefFoundError("acme/Lazy");
      case 5 -> new HostileException();
      default -> new Error();
    };
  }

  @SuppressWarnings("NullAway") // a payload that breaks its contract
  private static void put(Map<String, Object> map, String key, @Nullable Object value) {
    map.put(key, value);
  }

  /** It refuses even to be logged. */
  private static final class HostileException extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no message");
    }

    @Override
    public String toString() {
      throw new IllegalStateException("no text");
    }

    @Override
    public StackTraceElement[] getStackTrace() {
      throw new IllegalStateException("no trace");
    }
  }

  /** A map whose methods throw: which of them is in the bits. */
  private static final class Throwing extends AbstractMap<String, Object> {
    private final int methods;
    private final Throwable throwable;
    private final Map<String, Object> map = new HashMap<>(Map.of("_otel_ctx", PARENT));

    Throwing(int methods, Throwable throwable) {
      this.methods = methods;
      this.throwable = throwable;
      map.put("traceparent", PARENT);
    }

    @Override
    public @Nullable Object get(@Nullable Object key) {
      maybeThrow(1);
      return map.get(key);
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
      maybeThrow(2);
      return map.containsKey(key);
    }

    @Override
    public Set<Map.Entry<String, Object>> entrySet() {
      maybeThrow(4);
      return map.entrySet();
    }

    @Override
    public @Nullable Object put(String key, Object value) {
      maybeThrow(8);
      return map.put(key, value);
    }

    @Override
    public @Nullable Object remove(@Nullable Object key) {
      maybeThrow(16);
      return map.remove(key);
    }

    @Override
    public int hashCode() {
      throw new IllegalStateException();
    }

    @Override
    public boolean equals(@Nullable Object other) {
      throw new IllegalStateException();
    }

    @Override
    public String toString() {
      throw new IllegalStateException();
    }

    private void maybeThrow(int method) {
      if ((methods & method) != 0) {
        HostileCarriersWorker.<RuntimeException>sneak(throwable);
      }
    }
  }

  @SuppressWarnings("unchecked") // checked or not, the JVM does not care
  private static <T extends Throwable> void sneak(Throwable throwable) throws T {
    throw (T) throwable;
  }

  /** A map that differs each time it is asked. */
  private static final class Restless extends AbstractMap<String, Object> {
    private final Random random;

    Restless(long seed) {
      random = new Random(seed);
    }

    @Override
    public @Nullable Object get(@Nullable Object key) {
      return switch (random.nextInt(5)) {
        case 0 -> PARENT;
        case 1 -> this;
        case 2 -> headersOf(PARENT);
        case 3 -> 7;
        default -> null;
      };
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
      return random.nextBoolean();
    }

    @Override
    public @Nullable Object put(String key, Object value) {
      return random.nextInt();
    }

    @Override
    public @Nullable Object remove(@Nullable Object key) {
      return random.nextInt();
    }

    @Override
    public Set<Map.Entry<String, Object>> entrySet() {
      return new java.util.AbstractSet<>() {
        @Override
        public Iterator<Map.Entry<String, Object>> iterator() {
          return new Iterator<>() {
            @Override
            public boolean hasNext() {
              return random.nextInt(10) > 0;
            }

            @Override
            public Map.Entry<String, Object> next() {
              return Map.entry(random.nextBoolean() ? "_otel_ctx" : "traceparent", PARENT);
            }
          };
        }

        @Override
        public int size() {
          return random.nextInt(3);
        }
      };
    }
  }

  private record HostilePayload(Map<String, Object> map) {
    @SuppressWarnings({"UnusedMethod", "EffectivelyPrivate"}) // woven code reads it
    public Map<String, Object> metaInfo() {
      return map;
    }
  }

  // ---- the methods

  @Register(trace = true)
  private static Object takeMap(
      @MetaInfo Map<String, Object> metaInfo, Object result, @SpanAttribute("case") String name) {
    return result;
  }

  @Register(trace = true)
  private static Object takePayload(
      HostilePayload payload, Object result, @SpanAttribute("case") String name) {
    return result;
  }

  @Register(trace = true)
  private static Object takeMany(
      List<HostilePayload> payloads, Object result, @SpanAttribute("case") String name) {
    return result;
  }

  @Register
  private static Object untraced(@MetaInfo Map<String, Object> metaInfo, Object result) {
    return send(metaInfo, result);
  }

  @Dispatch
  private static Object send(@MetaInfo Map<String, Object> metaInfo, Object result) {
    return result;
  }
}
