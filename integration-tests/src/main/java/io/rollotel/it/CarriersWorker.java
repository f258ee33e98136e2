package io.rollotel.it;

import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.MetaInfoCarrier;
import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;
import io.rollotel.it.third.Batch;
import io.rollotel.it.third.Request;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Every kind of carrier, taken by a worker method and sent by a dispatch. The span of each call
 * says which case it is; the sender of number n has n as trace id and as span id.
 */
@SuppressWarnings({
  "UnusedMethod",
  "EffectivelyPrivate",
  "NonApiType"
}) // only woven code reads them
public final class CarriersWorker {

  /** The sender of a context that a dispatch has to replace. */
  private static final int STALE = 9;

  private CarriersWorker() {}

  /** Runs all; prints which payloads of a long list were reached. */
  public static void main(String[] arguments) {
    maps();
    payloads();
    noCarriers();
    many();
    sendTimes();
    longList();
    System.out.println("done");
  }

  // ---- the cases

  private static void maps() {
    kind("map", n -> carried(n), CarriersWorker::takeMap, CarriersWorker::sendMap);
    kind("HashMap", n -> carried(n), CarriersWorker::takeHash, CarriersWorker::sendHash);
    kind(
        "ConcurrentHashMap",
        n -> new ConcurrentHashMap<>(carried(n)),
        CarriersWorker::takeConcurrent,
        CarriersWorker::sendConcurrent);
    kind(
        "TreeMap",
        n -> new TreeMap<>(carried(n)),
        CarriersWorker::takeMap,
        CarriersWorker::sendMap);
    kind(
        "declared as Object",
        n -> carried(n),
        CarriersWorker::takeObject,
        CarriersWorker::sendObject);
    kind(
        "unmodifiable map",
        n -> Collections.unmodifiableMap(carried(n)),
        CarriersWorker::takeMap,
        CarriersWorker::sendMap);
    kind(
        "immutable map",
        n -> Map.copyOf(carried(n)),
        CarriersWorker::takeMap,
        CarriersWorker::sendMap);
    takeMap(null, "null map");
    takeMap(new HashMap<>(), "map without key");
    takeObject("_otel_ctx", "meta_info that is none");
  }

  private static void payloads() {
    kind("getMetaInfo", CarriersWorker::payload, CarriersWorker::take, CarriersWorker::send);
    kind(
        "MetaInfoCarrier",
        n -> new Known(carried(n)),
        CarriersWorker::takeKnown,
        CarriersWorker::sendKnown);
    kind(
        "declared as MetaInfoCarrier",
        n -> new Known(carried(n)),
        CarriersWorker::takeCarrier,
        CarriersWorker::sendCarrier);
    kind(
        "record",
        n -> new Recorded(carried(n)),
        CarriersWorker::takeRecorded,
        CarriersWorker::sendRecorded);
    kind(
        "getMeta_info",
        n -> new Snake(carried(n)),
        CarriersWorker::takeSnake,
        CarriersWorker::sendSnake);
    kind(
        "record with meta_info",
        n -> new SnakeRecord(carried(n)),
        CarriersWorker::takeSnakeRecord,
        CarriersWorker::sendSnakeRecord);
    kind(
        "inherited",
        n -> new Inheriting(carried(n)),
        CarriersWorker::takeInheriting,
        CarriersWorker::sendInheriting);
    kind(
        "generic",
        n -> new Generic<>(new TreeMap<>(carried(n))),
        CarriersWorker::takeGeneric,
        CarriersWorker::sendGeneric);
    kind(
        "type variable",
        CarriersWorker::payload,
        CarriersWorker::takeVariable,
        CarriersWorker::sendVariable);
    kind(
        "returns HashMap",
        n -> new Narrow(carried(n)),
        CarriersWorker::takeNarrow,
        CarriersWorker::sendNarrow);
    kind(
        "interface default",
        n -> new Defaulted(carried(n)),
        CarriersWorker::takeDefaulted,
        CarriersWorker::sendDefaulted);
    kind(
        "static getter first",
        n -> new StaticFirst(carried(n)),
        CarriersWorker::takeStaticFirst,
        CarriersWorker::sendStaticFirst);
    kind(
        "declared by a hidden class",
        n -> new Batch(carried(n)),
        CarriersWorker::takeBatch,
        CarriersWorker::sendBatch);
    kind(
        "declared by a hidden interface",
        n -> new Request(carried(n)),
        CarriersWorker::takeRequest,
        CarriersWorker::sendRequest);
    take(null, "null payload");
    takeKnown(new Known(null), "payload without map");
  }

  private static void noCarriers() {
    takeStatic(new StaticOnly(), "static getter");
    takeText(new Text(), "getter of text");
    takeParameter(new Parameter(), "getter with a parameter");
    takeProtected(new Protected(), "protected getter");
    takeCollection(List.of(payload(1)), "collection");
    takeArrayList(new ArrayList<>(List.of(payload(1))), "ArrayList");
    takePlainMap(carried(1), "map without annotation");
    takeNothing("no parameter");
  }

  private static void many() {
    kind("list", n -> List.of(payload(n)), CarriersWorker::takeList, CarriersWorker::sendList);
    kind(
        "list of a subtype",
        n -> List.of(payload(n)),
        CarriersWorker::takeWildcard,
        CarriersWorker::sendWildcard);
    kind(
        "list of a type variable",
        n -> List.of(payload(n)),
        CarriersWorker::takeListOfVariable,
        CarriersWorker::sendListOfVariable);
    kind(
        "array",
        n -> new Payload[] {payload(n)},
        CarriersWorker::takeArray,
        CarriersWorker::sendArray);
    takeList(List.of(payload(1), payload(2), payload(3)), "list of three");
    takeArray(new Payload[] {payload(1), payload(2), payload(3)}, "array of three");
    takeVarargs("varargs", payload(1), payload(2));
    takeList(List.of(payload(1), payload(1), payload(2), payload(2)), "list sent by two");
    takeList(List.of(payload(1), new Payload(), payload(2)), "list with one that has no key");
    takeList(List.of(new Payload(), payload(2)), "list whose first has no key");
    takeList(Arrays.asList(null, payload(1), null, payload(2)), "list with nulls");
    takeList(Arrays.asList(null, null), "list of nulls");
    takeList(List.of(), "empty list");
    takeList(null, "null list");
    takeArray(new Payload[0], "empty array");
    takeTwo(payload(1), new Known(carried(2)), "two");
    takeTwo(null, new Known(carried(2)), "two, first null");
    takeTwo(payload(1), null, "two, second null");
    takeTwo(payload(1), new Known(carried(1)), "two of one sender");
    takeTwo(new Payload(), new Known(carried(2)), "two, first without key");
    takeTwo(Payload.withContext(Map.of()), new Known(carried(2)), "two, first empty");
    takeTwo(null, null, "two nulls");
    takeMixed(List.of(payload(1), payload(2)), 7, carried(3), "list and map");
    takeMixed(List.of(), 7, carried(3), "empty list and map");
    Payload first = payload(STALE);
    Known second = new Known(carried(STALE));
    relay("sent: two", () -> sendTwo(first, second));
    take(first, "sent: two");
    takeKnown(second, "sent: two");
  }

  private static void sendTimes() {
    Instant now = Instant.now();
    sentAt("an hour ago", Long.toString(nanos(now.minusSeconds(3600))));
    sentAt("in an hour", Long.toString(nanos(now.plusSeconds(3600))));
    sentAt("never", null);
    sentAt("nonsense", "yesterday");
    sentAt("a number", nanos(now));
    sentAt("before the epoch", "-1");
    sentAt("too large", "99999999999999999999");
  }

  private static void longList() {
    List<Payload> batch = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      batch.add(payload(STALE));
    }
    relay("sent: long list", () -> sendList(batch));
    List<@Nullable Object> contexts = new ArrayList<>();
    for (Payload payload : batch) {
      Object context = payload.getMetaInfo().get("_otel_ctx");
      contexts.add(context instanceof Map<?, ?> map ? map.get("traceparent") : context);
    }
    System.out.println("of one sender " + Collections.frequency(contexts, contexts.get(0)));
    takeList(batch, "sent: long list");
  }

  // ---- how

  /** One kind of carrier: taken as it is, then sent over a stale context and taken. */
  private static <T> void kind(
      String name, Function<Integer, T> make, BiConsumer<T, String> take, Consumer<T> send) {
    take.accept(make.apply(1), name);
    T sent = make.apply(STALE);
    relay("sent: " + name, () -> send.accept(sent));
    take.accept(sent, "sent: " + name);
  }

  /** A span to send from. */
  @Register(trace = true)
  private static void relay(@SpanAttribute("case") String name, Runnable send) {
    send.run();
  }

  private static Payload payload(int sender) {
    return Payload.withContext(Map.of("traceparent", traceparent(sender)));
  }

  private static HashMap<String, Object> carried(int sender) {
    return new HashMap<>(Map.of("_otel_ctx", Map.of("traceparent", traceparent(sender))));
  }

  private static String traceparent(int sender) {
    return String.format("00-%032x-%016x-01", sender, sender);
  }

  private static void sentAt(String name, @Nullable Object sentAt) {
    Map<String, Object> context = new HashMap<>();
    context.put("traceparent", traceparent(1));
    context.put("roll.sent_at", sentAt);
    take(Payload.withContext(context), "sent at: " + name);
  }

  private static long nanos(Instant instant) {
    return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
  }

  // ---- worker methods

  @Register(trace = true)
  private static void takeMap(
      @MetaInfo @Nullable Map<String, Object> payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeHash(
      @MetaInfo HashMap<String, Object> payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeConcurrent(
      @MetaInfo ConcurrentHashMap<String, Object> payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeObject(@MetaInfo Object payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void take(@Nullable Payload payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeKnown(Known payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeCarrier(MetaInfoCarrier payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeRecorded(Recorded payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeSnake(Snake payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeSnakeRecord(SnakeRecord payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeInheriting(Inheriting payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeGeneric(
      Generic<TreeMap<String, Object>> payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static <T extends Payload> void takeVariable(
      T payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeNarrow(Narrow payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeDefaulted(WithDefault payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeStaticFirst(StaticFirst payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeBatch(Batch payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeRequest(Request payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeList(
      @Nullable List<@Nullable Payload> payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeWildcard(
      List<? extends Payload> payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static <T extends Payload> void takeListOfVariable(
      List<T> payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeArray(Payload[] payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeStatic(StaticOnly payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeText(Text payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeParameter(Parameter payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeProtected(Protected payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeCollection(
      Collection<Payload> payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeArrayList(
      ArrayList<Payload> payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takePlainMap(
      Map<String, Object> payload, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeNothing(@SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeVarargs(@SpanAttribute("case") String name, Payload... payloads) {}

  @Register(trace = true)
  private static void takeTwo(
      @Nullable Payload first, @Nullable Known second, @SpanAttribute("case") String name) {}

  @Register(trace = true)
  private static void takeMixed(
      List<Payload> first,
      long step,
      @MetaInfo Map<String, Object> second,
      @SpanAttribute("case") String name) {}

  // ---- senders

  @Dispatch
  private static void sendMap(@MetaInfo @Nullable Map<String, Object> payload) {}

  @Dispatch
  private static void sendHash(@MetaInfo HashMap<String, Object> payload) {}

  @Dispatch
  private static void sendConcurrent(@MetaInfo ConcurrentHashMap<String, Object> payload) {}

  @Dispatch
  private static void sendObject(@MetaInfo Object payload) {}

  @Dispatch
  private static void send(@Nullable Payload payload) {}

  @Dispatch
  private static void sendKnown(Known payload) {}

  @Dispatch
  private static void sendCarrier(MetaInfoCarrier payload) {}

  @Dispatch
  private static void sendRecorded(Recorded payload) {}

  @Dispatch
  private static void sendSnake(Snake payload) {}

  @Dispatch
  private static void sendSnakeRecord(SnakeRecord payload) {}

  @Dispatch
  private static void sendInheriting(Inheriting payload) {}

  @Dispatch
  private static void sendGeneric(Generic<TreeMap<String, Object>> payload) {}

  @Dispatch
  private static <T extends Payload> void sendVariable(T payload) {}

  @Dispatch
  private static void sendNarrow(Narrow payload) {}

  @Dispatch
  private static void sendDefaulted(WithDefault payload) {}

  @Dispatch
  private static void sendStaticFirst(StaticFirst payload) {}

  @Dispatch
  private static void sendBatch(Batch payload) {}

  @Dispatch
  private static void sendRequest(Request payload) {}

  @Dispatch
  private static void sendList(@Nullable List<@Nullable Payload> payload) {}

  @Dispatch
  private static void sendWildcard(List<? extends Payload> payload) {}

  @Dispatch
  private static <T extends Payload> void sendListOfVariable(List<T> payload) {}

  @Dispatch
  private static void sendArray(Payload[] payload) {}

  @Dispatch
  private static void sendTwo(Payload first, Known second) {}

  // ---- payloads

  private record Known(@Nullable Map<String, Object> map) implements MetaInfoCarrier {
    @Override
    @SuppressWarnings("NullAway") // a payload that breaks its contract
    public Map<String, Object> metaInfo() {
      return map;
    }
  }

  private record Recorded(Map<String, Object> metaInfo) {}

  private record Snake(Map<String, Object> map) {
    @SuppressWarnings("MemberName") // as Python's DataProto has it
    public Map<String, Object> getMeta_info() {
      return map;
    }
  }

  @SuppressWarnings("MemberName") // as in the JSON of a payload
  private record SnakeRecord(Map<String, Object> meta_info) {}

  private static class Inherited {
    private final Map<String, Object> map;

    Inherited(Map<String, Object> map) {
      this.map = map;
    }

    public Map<String, Object> getMetaInfo() {
      return map;
    }
  }

  private static final class Inheriting extends Inherited {
    Inheriting(Map<String, Object> map) {
      super(map);
    }
  }

  private record Generic<M extends Map<String, Object>>(M getMetaInfo) {}

  private interface HasMap {
    Map<String, Object> getMetaInfo();
  }

  private record Narrow(HashMap<String, Object> getMetaInfo) implements HasMap {}

  private interface WithDefault {
    Map<String, Object> map();

    default Map<String, Object> metaInfo() {
      return map();
    }
  }

  private record Defaulted(Map<String, Object> map) implements WithDefault {}

  private record StaticFirst(Map<String, Object> getMetaInfo) {
    public static Map<String, Object> metaInfo() {
      return carried(8);
    }
  }

  private static final class StaticOnly {
    public static Map<String, Object> metaInfo() {
      return carried(8);
    }
  }

  private static final class Text {
    public String getMetaInfo() {
      return traceparent(8);
    }
  }

  private static final class Parameter {
    public Map<String, Object> getMetaInfo(int sender) {
      return carried(sender);
    }
  }

  private static class Protected {
    protected Map<String, Object> getMetaInfo() {
      return carried(8);
    }
  }
}
