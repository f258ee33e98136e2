package io.rollotel.it;

import static io.rollotel.it.CarrierPayloads.carried;
import static io.rollotel.it.CarrierPayloads.traceparent;

import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.MetaInfoCarrier;
import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;
import io.rollotel.it.CarrierPayloads.Defaulted;
import io.rollotel.it.CarrierPayloads.Generic;
import io.rollotel.it.CarrierPayloads.Inheriting;
import io.rollotel.it.CarrierPayloads.Known;
import io.rollotel.it.CarrierPayloads.Narrow;
import io.rollotel.it.CarrierPayloads.Parameter;
import io.rollotel.it.CarrierPayloads.Protected;
import io.rollotel.it.CarrierPayloads.Recorded;
import io.rollotel.it.CarrierPayloads.Snake;
import io.rollotel.it.CarrierPayloads.SnakeRecord;
import io.rollotel.it.CarrierPayloads.StaticFirst;
import io.rollotel.it.CarrierPayloads.StaticOnly;
import io.rollotel.it.CarrierPayloads.Text;
import io.rollotel.it.CarrierPayloads.WithDefault;
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
    kind("map", n -> carried(n), CarriersWorker::takeMap, CarrierSenders::sendMap);
    kind("HashMap", n -> carried(n), CarriersWorker::takeHash, CarrierSenders::sendHash);
    kind(
        "ConcurrentHashMap",
        n -> new ConcurrentHashMap<>(carried(n)),
        CarriersWorker::takeConcurrent,
        CarrierSenders::sendConcurrent);
    kind(
        "TreeMap",
        n -> new TreeMap<>(carried(n)),
        CarriersWorker::takeMap,
        CarrierSenders::sendMap);
    kind(
        "declared as Object",
        n -> carried(n),
        CarriersWorker::takeObject,
        CarrierSenders::sendObject);
    kind(
        "unmodifiable map",
        n -> Collections.unmodifiableMap(carried(n)),
        CarriersWorker::takeMap,
        CarrierSenders::sendMap);
    kind(
        "immutable map",
        n -> Map.copyOf(carried(n)),
        CarriersWorker::takeMap,
        CarrierSenders::sendMap);
    takeMap(null, "null map");
    takeMap(new HashMap<>(), "map without key");
    takeObject("_otel_ctx", "meta_info that is none");
  }

  private static void payloads() {
    kind("getMetaInfo", CarriersWorker::payload, CarriersWorker::take, CarrierSenders::send);
    kind(
        "MetaInfoCarrier",
        n -> new Known(carried(n)),
        CarriersWorker::takeKnown,
        CarrierSenders::sendKnown);
    kind(
        "declared as MetaInfoCarrier",
        n -> new Known(carried(n)),
        CarriersWorker::takeCarrier,
        CarrierSenders::sendCarrier);
    kind(
        "record",
        n -> new Recorded(carried(n)),
        CarriersWorker::takeRecorded,
        CarrierSenders::sendRecorded);
    kind(
        "getMeta_info",
        n -> new Snake(carried(n)),
        CarriersWorker::takeSnake,
        CarrierSenders::sendSnake);
    kind(
        "record with meta_info",
        n -> new SnakeRecord(carried(n)),
        CarriersWorker::takeSnakeRecord,
        CarrierSenders::sendSnakeRecord);
    kind(
        "inherited",
        n -> new Inheriting(carried(n)),
        CarriersWorker::takeInheriting,
        CarrierSenders::sendInheriting);
    kind(
        "generic",
        n -> new Generic<>(new TreeMap<>(carried(n))),
        CarriersWorker::takeGeneric,
        CarrierSenders::sendGeneric);
    kind(
        "type variable",
        CarriersWorker::payload,
        CarriersWorker::takeVariable,
        CarrierSenders::sendVariable);
    kind(
        "returns HashMap",
        n -> new Narrow(carried(n)),
        CarriersWorker::takeNarrow,
        CarrierSenders::sendNarrow);
    kind(
        "interface default",
        n -> new Defaulted(carried(n)),
        CarriersWorker::takeDefaulted,
        CarrierSenders::sendDefaulted);
    kind(
        "static getter first",
        n -> new StaticFirst(carried(n)),
        CarriersWorker::takeStaticFirst,
        CarrierSenders::sendStaticFirst);
    kind(
        "declared by a hidden class",
        n -> new Batch(carried(n)),
        CarriersWorker::takeBatch,
        CarrierSenders::sendBatch);
    kind(
        "declared by a hidden interface",
        n -> new Request(carried(n)),
        CarriersWorker::takeRequest,
        CarrierSenders::sendRequest);
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
    kind("list", n -> List.of(payload(n)), CarriersWorker::takeList, CarrierSenders::sendList);
    kind(
        "list of a subtype",
        n -> List.of(payload(n)),
        CarriersWorker::takeWildcard,
        CarrierSenders::sendWildcard);
    kind(
        "list of a type variable",
        n -> List.of(payload(n)),
        CarriersWorker::takeListOfVariable,
        CarrierSenders::sendListOfVariable);
    kind(
        "array",
        n -> new Payload[] {payload(n)},
        CarriersWorker::takeArray,
        CarrierSenders::sendArray);
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
    relay("sent: two", () -> CarrierSenders.sendTwo(first, second));
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
    relay("sent: long list", () -> CarrierSenders.sendList(batch));
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
}
