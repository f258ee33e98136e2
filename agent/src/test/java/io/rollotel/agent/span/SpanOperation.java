package io.rollotel.agent.span;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.lang.reflect.Method;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What may be done to a span: one operation for every method of its interface. */
interface SpanOperation {

  /** The result, in a form that is equal for equal spans of both kinds. */
  @Nullable Object on(ReadWriteSpan span, Random random);

  /** By {@link #signature}. */
  Map<String, SpanOperation> ALL = all();

  Throwable FAILURE = new IllegalStateException("no luck", new RuntimeException("at all"));
  Throwable WORDLESS = new StackOverflowError();

  List<AttributeKey<String>> TEXT_KEYS =
      List.of(
          AttributeKey.stringKey("a"),
          AttributeKey.stringKey("code.function.name"),
          AttributeKey.stringKey("exception.message"),
          AttributeKey.stringKey(""));

  static String signature(Method method) {
    return method.getName()
        + Arrays.stream(method.getParameterTypes())
            .map(Class::getSimpleName)
            .collect(Collectors.joining(", ", "(", ")"));
  }

  private static Map<String, SpanOperation> all() {
    Map<String, SpanOperation> all = new LinkedHashMap<>();
    all.put("setAttribute(String, String)", (s, r) -> itself(s, s.setAttribute(key(r), text(r))));
    all.put(
        "setAttribute(String, long)", (s, r) -> itself(s, s.setAttribute(key(r), r.nextLong())));
    all.put(
        "setAttribute(String, double)",
        (s, r) -> itself(s, s.setAttribute(key(r), r.nextDouble())));
    all.put(
        "setAttribute(String, boolean)",
        (s, r) -> itself(s, s.setAttribute(key(r), r.nextBoolean())));
    all.put(
        "setAttribute(AttributeKey, Object)",
        (s, r) ->
            itself(
                s,
                r.nextInt(8) == 0
                    ? s.setAttribute((AttributeKey<String>) null, "value")
                    : r.nextInt(3) == 0
                        ? s.setAttribute(
                            AttributeKey.stringArrayKey("list"),
                            Arrays.asList("short", "x".repeat(r.nextInt(30)), "y"))
                        : s.setAttribute(TEXT_KEYS.get(r.nextInt(TEXT_KEYS.size())), text(r))));
    all.put(
        "setAttribute(AttributeKey, int)",
        (s, r) -> itself(s, s.setAttribute(AttributeKey.longKey(key(r)), r.nextInt())));
    all.put("setAllAttributes(Attributes)", (s, r) -> itself(s, s.setAllAttributes(attributes(r))));
    all.put("addEvent(String)", (s, r) -> itself(s, s.addEvent(text(r))));
    all.put(
        "addEvent(String, long, TimeUnit)",
        (s, r) -> itself(s, s.addEvent(text(r), r.nextInt(1000), unit(r))));
    all.put("addEvent(String, Instant)", (s, r) -> itself(s, s.addEvent(text(r), instant(r))));
    all.put(
        "addEvent(String, Attributes)", (s, r) -> itself(s, s.addEvent(text(r), attributes(r))));
    all.put(
        "addEvent(String, Attributes, long, TimeUnit)",
        (s, r) -> itself(s, s.addEvent(text(r), attributes(r), r.nextInt(1000), unit(r))));
    all.put(
        "addEvent(String, Attributes, Instant)",
        (s, r) -> itself(s, s.addEvent(text(r), attributes(r), instant(r))));
    all.put("setStatus(StatusCode)", (s, r) -> itself(s, s.setStatus(code(r))));
    all.put("setStatus(StatusCode, String)", (s, r) -> itself(s, s.setStatus(code(r), text(r))));
    all.put("recordException(Throwable)", (s, r) -> itself(s, s.recordException(thrown(r))));
    all.put(
        "recordException(Throwable, Attributes)",
        (s, r) -> itself(s, s.recordException(thrown(r), attributes(r))));
    all.put("updateName(String)", (s, r) -> itself(s, s.updateName(text(r))));
    all.put("addLink(SpanContext)", (s, r) -> itself(s, s.addLink(link(r))));
    all.put(
        "addLink(SpanContext, Attributes)", (s, r) -> itself(s, s.addLink(link(r), attributes(r))));
    all.put("end()", (s, r) -> ended(s, r, s::end));
    all.put(
        "end(long, TimeUnit)",
        (s, r) -> {
          long time = r.nextInt(3) * 1_000L;
          TimeUnit unit = unit(r);
          return ended(s, r, () -> s.end(time, unit));
        });
    all.put(
        "end(Instant)",
        (s, r) -> {
          Instant time = instant(r);
          return ended(s, r, () -> s.end(time));
        });
    all.put("getSpanContext()", (s, r) -> ofContext(s.getSpanContext()));
    all.put("getParentSpanContext()", (s, r) -> ofContext(s.getParentSpanContext()));
    all.put("isRecording()", (s, r) -> s.isRecording());
    all.put("hasEnded()", (s, r) -> s.hasEnded());
    all.put("getLatencyNanos()", (s, r) -> s.getLatencyNanos());
    all.put("getKind()", (s, r) -> s.getKind());
    all.put("getName()", (s, r) -> s.getName());
    all.put(
        "getAttribute(AttributeKey)",
        (s, r) -> s.getAttribute(TEXT_KEYS.get(r.nextInt(TEXT_KEYS.size()))));
    all.put("getAttributes()", (s, r) -> s.getAttributes());
    all.put("getInstrumentationScopeInfo()", (s, r) -> s.getInstrumentationScopeInfo());
    all.put("getInstrumentationLibraryInfo()", (s, r) -> libraryInfo(s));
    all.put(
        "storeInContext(Context)",
        (s, r) -> itself(s, Span.fromContext(s.storeInContext(Context.root()))));
    all.put(
        "makeCurrent()",
        (s, r) -> {
          try (Scope scope = s.makeCurrent()) {
            return itself(s, Span.current());
          }
        });
    all.put("toSpanData()", (s, r) -> ofData(s.toSpanData()));
    return all;
  }

  @SuppressWarnings("deprecation") // as long as the interface has it
  private static Object libraryInfo(ReadWriteSpan span) {
    return span.getInstrumentationLibraryInfo();
  }

  /** Most sequences should not be over with their first operation. */
  private static Object ended(ReadWriteSpan span, Random random, Runnable end) {
    if (random.nextInt(3) == 0) {
      end.run();
    }
    return span.hasEnded();
  }

  private static Object itself(ReadWriteSpan span, Object result) {
    return result == span ? "itself" : result;
  }

  /** Everything in a span's data except the random ids. */
  static Map<String, @Nullable Object> ofData(SpanData data) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    for (Method method : SpanData.class.getMethods()) {
      String name = method.getName();
      if (name.endsWith("SpanId") || name.equals("getTraceId") || method.getParameterCount() > 0) {
        continue;
      }
      try {
        Object value = method.invoke(data);
        all.put(
            name,
            value instanceof SpanContext context
                ? ofContext(context)
                : value instanceof Attributes attributes ? attributes.asMap() : value);
      } catch (ReflectiveOperationException e) {
        throw new AssertionError(e);
      }
    }
    return all;
  }

  /** But for the ids. */
  private static List<Object> ofContext(SpanContext context) {
    return List.of(
        context.isValid(),
        context.isRemote(),
        context.isSampled(),
        context.getTraceFlags(),
        context.getTraceState().asMap(),
        context.getTraceId().length(),
        context.getSpanId().length());
  }

  private static String key(Random random) {
    // Many enough for every limit, and for the array to become a map.
    return random.nextInt(20) == 0 ? "code.function.name" : "key" + random.nextInt(40);
  }

  private static @Nullable String text(Random random) {
    return random.nextInt(10) == 0 ? null : "t".repeat(random.nextInt(20));
  }

  private static @Nullable TimeUnit unit(Random random) {
    return random.nextInt(8) == 0
        ? null
        : List.of(TimeUnit.NANOSECONDS, TimeUnit.SECONDS).get(random.nextInt(2));
  }

  private static @Nullable Instant instant(Random random) {
    return random.nextInt(4) == 0 ? null : Instant.ofEpochSecond(random.nextInt(9), 17);
  }

  private static @Nullable StatusCode code(Random random) {
    int drawn = random.nextInt(4);
    return drawn == 3 ? null : StatusCode.values()[drawn];
  }

  private static @Nullable Throwable thrown(Random random) {
    int drawn = random.nextInt(3);
    return drawn == 0 ? null : drawn == 1 ? FAILURE : WORDLESS;
  }

  private static @Nullable SpanContext link(Random random) {
    int drawn = random.nextInt(4);
    return drawn == 0
        ? null
        : drawn == 1
            ? SpanContext.getInvalid()
            : SpanContext.create(
                "0af7651916cd43dd8448eb211c80319c",
                "b7ad6b7169203331",
                TraceFlags.getSampled(),
                TraceState.getDefault());
  }

  private static @Nullable Attributes attributes(Random random) {
    int drawn = random.nextInt(4);
    return drawn == 0
        ? null
        : drawn == 1
            ? Attributes.empty()
            : drawn == 2
                ? Attributes.of(AttributeKey.stringKey("a"), "0123456789")
                : Attributes.of(
                    AttributeKey.stringKey("exception.type"),
                    "mine",
                    AttributeKey.longKey("n"),
                    (long) random.nextInt(),
                    AttributeKey.stringArrayKey("many"),
                    List.of("0123456789", "0"));
  }
}
