package io.rollotel.traces.kit;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.EntityRef;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * The line that a request should become, and the line that it became, both as trees: maps in the
 * order of their keys, lists, strings, booleans, and doubles for all numbers.
 */
public final class OtlpJson {

  private OtlpJson() {}

  /** Built from the official classes, with none of our code. */
  public static Map<String, Object> expected(ExportTraceServiceRequest request) {
    Map<String, Object> json = new LinkedHashMap<>();
    putList(json, "resourceSpans", request.getResourceSpansList(), OtlpJson::resourceSpans);
    return json;
  }

  private static Object resourceSpans(ResourceSpans message) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("resource", resource(message.getResource()));
    putList(json, "scopeSpans", message.getScopeSpansList(), OtlpJson::scopeSpans);
    putText(json, "schemaUrl", message.getSchemaUrl());
    return json;
  }

  private static Object resource(Resource message) {
    Map<String, Object> json = new LinkedHashMap<>();
    putList(json, "attributes", message.getAttributesList(), OtlpJson::keyValue);
    putUnsigned(json, "droppedAttributesCount", message.getDroppedAttributesCount());
    putList(json, "entityRefs", message.getEntityRefsList(), OtlpJson::entityRef);
    return json;
  }

  private static Object entityRef(EntityRef message) {
    Map<String, Object> json = new LinkedHashMap<>();
    putText(json, "schemaUrl", message.getSchemaUrl());
    putText(json, "type", message.getType());
    putList(json, "idKeys", message.getIdKeysList(), key -> key);
    putList(json, "descriptionKeys", message.getDescriptionKeysList(), key -> key);
    return json;
  }

  private static Object scopeSpans(ScopeSpans message) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("scope", scope(message.getScope()));
    putList(json, "spans", message.getSpansList(), OtlpJson::span);
    putText(json, "schemaUrl", message.getSchemaUrl());
    return json;
  }

  private static Object scope(InstrumentationScope message) {
    Map<String, Object> json = new LinkedHashMap<>();
    putText(json, "name", message.getName());
    putText(json, "version", message.getVersion());
    putList(json, "attributes", message.getAttributesList(), OtlpJson::keyValue);
    putUnsigned(json, "droppedAttributesCount", message.getDroppedAttributesCount());
    return json;
  }

  private static Object span(Span message) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("traceId", hex(message.getTraceId()));
    json.put("spanId", hex(message.getSpanId()));
    putText(json, "traceState", message.getTraceState());
    if (!message.getParentSpanId().equals(ByteString.copyFrom(new byte[8]))) {
      putText(json, "parentSpanId", hex(message.getParentSpanId()));
    }
    putUnsigned(json, "flags", message.getFlags());
    putText(json, "name", message.getName());
    putSigned(json, "kind", message.getKindValue());
    putTime(json, "startTimeUnixNano", message.getStartTimeUnixNano());
    putTime(json, "endTimeUnixNano", message.getEndTimeUnixNano());
    putList(json, "attributes", message.getAttributesList(), OtlpJson::keyValue);
    putUnsigned(json, "droppedAttributesCount", message.getDroppedAttributesCount());
    putList(json, "events", message.getEventsList(), OtlpJson::event);
    putUnsigned(json, "droppedEventsCount", message.getDroppedEventsCount());
    putList(json, "links", message.getLinksList(), OtlpJson::link);
    putUnsigned(json, "droppedLinksCount", message.getDroppedLinksCount());
    json.put("status", status(message.getStatus()));
    return json;
  }

  private static Object event(Span.Event message) {
    Map<String, Object> json = new LinkedHashMap<>();
    putTime(json, "timeUnixNano", message.getTimeUnixNano());
    putText(json, "name", message.getName());
    putList(json, "attributes", message.getAttributesList(), OtlpJson::keyValue);
    putUnsigned(json, "droppedAttributesCount", message.getDroppedAttributesCount());
    return json;
  }

  private static Object link(Span.Link message) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("traceId", hex(message.getTraceId()));
    json.put("spanId", hex(message.getSpanId()));
    putText(json, "traceState", message.getTraceState());
    putList(json, "attributes", message.getAttributesList(), OtlpJson::keyValue);
    putUnsigned(json, "droppedAttributesCount", message.getDroppedAttributesCount());
    putUnsigned(json, "flags", message.getFlags());
    return json;
  }

  private static Object status(Status message) {
    Map<String, Object> json = new LinkedHashMap<>();
    putText(json, "message", message.getMessage());
    putSigned(json, "code", message.getCodeValue());
    return json;
  }

  private static Object keyValue(KeyValue message) {
    Map<String, Object> json = new LinkedHashMap<>();
    putText(json, "key", message.getKey());
    json.put("value", value(message.getValue()));
    return json;
  }

  private static Object value(AnyValue message) {
    Map<String, Object> json = new LinkedHashMap<>();
    switch (message.getValueCase()) {
      case STRING_VALUE -> json.put("stringValue", message.getStringValue());
      case BOOL_VALUE -> json.put("boolValue", message.getBoolValue());
      case INT_VALUE -> json.put("intValue", Long.toString(message.getIntValue()));
      case DOUBLE_VALUE -> {
        double value = message.getDoubleValue();
        json.put("doubleValue", Double.isFinite(value) ? value : Double.toString(value));
      }
      case ARRAY_VALUE -> {
        Map<String, Object> array = new LinkedHashMap<>();
        putList(array, "values", message.getArrayValue().getValuesList(), OtlpJson::value);
        json.put("arrayValue", array);
      }
      case KVLIST_VALUE -> {
        Map<String, Object> list = new LinkedHashMap<>();
        putList(list, "values", message.getKvlistValue().getValuesList(), OtlpJson::keyValue);
        json.put("kvlistValue", list);
      }
      case BYTES_VALUE ->
          json.put(
              "bytesValue",
              Base64.getEncoder().encodeToString(message.getBytesValue().toByteArray()));
      default -> {}
    }
    return json;
  }

  private static <T> void putList(
      Map<String, Object> json, String key, List<T> messages, Function<T, Object> translation) {
    if (!messages.isEmpty()) {
      json.put(key, messages.stream().map(translation).toList());
    }
  }

  private static void putText(Map<String, Object> json, String key, String text) {
    if (!text.isEmpty()) {
      json.put(key, text);
    }
  }

  private static void putTime(Map<String, Object> json, String key, long time) {
    if (time != 0) {
      json.put(key, Long.toUnsignedString(time));
    }
  }

  private static void putUnsigned(Map<String, Object> json, String key, int number) {
    if (number != 0) {
      json.put(key, (double) Integer.toUnsignedLong(number));
    }
  }

  private static void putSigned(Map<String, Object> json, String key, int number) {
    if (number != 0) {
      json.put(key, (double) number);
    }
  }

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }

  /** The tree of a line. */
  public static Object parse(byte[] line) {
    try (JsonParser json = new JsonFactory().createParser(ObjectReadContext.empty(), line)) {
      json.nextToken();
      Object tree = tree(json);
      if (json.nextToken() != null) {
        throw new AssertionError("more than one value");
      }
      return tree;
    }
  }

  private static Object tree(JsonParser json) {
    return switch (json.currentToken()) {
      case START_OBJECT -> {
        Map<String, Object> object = new LinkedHashMap<>();
        for (String key = json.nextName(); key != null; key = json.nextName()) {
          json.nextToken();
          if (object.put(key, tree(json)) != null) {
            throw new AssertionError("twice: " + key);
          }
        }
        yield object;
      }
      case START_ARRAY -> {
        List<Object> array = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
          array.add(tree(json));
        }
        yield array;
      }
      case VALUE_STRING -> json.getString();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> Double.valueOf(json.getString());
    };
  }
}
