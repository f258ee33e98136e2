package io.rollotel.it;

import io.rollotel.annotations.MetaInfoCarrier;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Payloads of every kind, with and without a getter that the agent calls. */
final class CarrierPayloads {

  private CarrierPayloads() {}

  @SuppressWarnings("NonApiType") // some methods take nothing else
  static HashMap<String, Object> carried(int sender) {
    return new HashMap<>(Map.of("_otel_ctx", Map.of("traceparent", traceparent(sender))));
  }

  static String traceparent(int sender) {
    return String.format("00-%032x-%016x-01", sender, sender);
  }

  record Known(@Nullable Map<String, Object> map) implements MetaInfoCarrier {
    @Override
    @SuppressWarnings("NullAway") // a payload that breaks its contract
    public Map<String, Object> metaInfo() {
      return map;
    }
  }

  record Recorded(Map<String, Object> metaInfo) {}

  record Snake(Map<String, Object> map) {
    @SuppressWarnings("MemberName") // as Python's DataProto has it
    public Map<String, Object> getMeta_info() {
      return map;
    }
  }

  @SuppressWarnings("MemberName") // as in the JSON of a payload
  record SnakeRecord(Map<String, Object> meta_info) {}

  static class Inherited {
    private final Map<String, Object> map;

    Inherited(Map<String, Object> map) {
      this.map = map;
    }

    public Map<String, Object> getMetaInfo() {
      return map;
    }
  }

  static final class Inheriting extends Inherited {
    Inheriting(Map<String, Object> map) {
      super(map);
    }
  }

  record Generic<M extends Map<String, Object>>(M getMetaInfo) {}

  interface HasMap {
    Map<String, Object> getMetaInfo();
  }

  record Narrow(HashMap<String, Object> getMetaInfo) implements HasMap {}

  interface WithDefault {
    Map<String, Object> map();

    default Map<String, Object> metaInfo() {
      return map();
    }
  }

  record Defaulted(Map<String, Object> map) implements WithDefault {}

  record StaticFirst(Map<String, Object> getMetaInfo) {
    public static Map<String, Object> metaInfo() {
      return carried(8);
    }
  }

  static final class StaticOnly {
    public static Map<String, Object> metaInfo() {
      return carried(8);
    }
  }

  static final class Text {
    public String getMetaInfo() {
      return traceparent(8);
    }
  }

  static final class Parameter {
    public Map<String, Object> getMetaInfo(int sender) {
      return carried(sender);
    }
  }

  static class Protected {
    protected Map<String, Object> getMetaInfo() {
      return carried(8);
    }
  }
}
