package io.rollotel.it;

import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.MetaInfoCarrier;
import io.rollotel.it.CarrierPayloads.Generic;
import io.rollotel.it.CarrierPayloads.Inheriting;
import io.rollotel.it.CarrierPayloads.Known;
import io.rollotel.it.CarrierPayloads.Narrow;
import io.rollotel.it.CarrierPayloads.Recorded;
import io.rollotel.it.CarrierPayloads.Snake;
import io.rollotel.it.CarrierPayloads.SnakeRecord;
import io.rollotel.it.CarrierPayloads.StaticFirst;
import io.rollotel.it.CarrierPayloads.WithDefault;
import io.rollotel.it.third.Batch;
import io.rollotel.it.third.Request;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A dispatch of every kind of carrier. */
@SuppressWarnings("NonApiType") // only woven code reads them
final class CarrierSenders {

  private CarrierSenders() {}

  @Dispatch
  static void sendMap(@MetaInfo @Nullable Map<String, Object> payload) {}

  @Dispatch
  static void sendHash(@MetaInfo HashMap<String, Object> payload) {}

  @Dispatch
  static void sendConcurrent(@MetaInfo ConcurrentHashMap<String, Object> payload) {}

  @Dispatch
  static void sendObject(@MetaInfo Object payload) {}

  @Dispatch
  static void send(@Nullable Payload payload) {}

  @Dispatch
  static void sendKnown(Known payload) {}

  @Dispatch
  static void sendCarrier(MetaInfoCarrier payload) {}

  @Dispatch
  static void sendRecorded(Recorded payload) {}

  @Dispatch
  static void sendSnake(Snake payload) {}

  @Dispatch
  static void sendSnakeRecord(SnakeRecord payload) {}

  @Dispatch
  static void sendInheriting(Inheriting payload) {}

  @Dispatch
  static void sendGeneric(Generic<TreeMap<String, Object>> payload) {}

  @Dispatch
  static <T extends Payload> void sendVariable(T payload) {}

  @Dispatch
  static void sendNarrow(Narrow payload) {}

  @Dispatch
  static void sendDefaulted(WithDefault payload) {}

  @Dispatch
  static void sendStaticFirst(StaticFirst payload) {}

  @Dispatch
  static void sendBatch(Batch payload) {}

  @Dispatch
  static void sendRequest(Request payload) {}

  @Dispatch
  static void sendList(@Nullable List<@Nullable Payload> payload) {}

  @Dispatch
  static void sendWildcard(List<? extends Payload> payload) {}

  @Dispatch
  static <T extends Payload> void sendListOfVariable(List<T> payload) {}

  @Dispatch
  static void sendArray(Payload[] payload) {}

  @Dispatch
  static void sendTwo(Payload first, Known second) {}
}
