package io.rollotel.traces.kit;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.common.v1.EntityRef;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.common.v1.KeyValueList;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.util.Random;

/** Requests with every field, each present or absent, ordinary or extreme by the seed. */
public final class RandomRequests {

  private static final String[] TEXTS = {
    "", "worker.generate", "a\"b\\c/d", "line\nfeed\r\ttab\u0000\u0001\u001f\u007f",
    "größe µs 数据 \ud83d\ude80 \uffff", "x\u2028y\u2029z", "</script><b>&amp;", "'"
  };
  private static final long[] LONGS = {
    0, 1, -1, 10, 999_999_999_999L, Long.MAX_VALUE, Long.MIN_VALUE, Integer.MIN_VALUE
  };
  private static final double[] DOUBLES = {
    0,
    -0.0,
    1,
    3,
    -2.5,
    0.1,
    1e-6,
    9.99e-7,
    1e-7,
    1e20,
    1e21,
    1.5e300,
    -1e-300,
    123456.789,
    Double.MIN_VALUE,
    Double.MAX_VALUE,
    Double.NaN,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY
  };

  private final Random random;
  private final boolean hasGroups;

  public RandomRequests(long seed) {
    this(seed, true);
  }

  /** With or without groups among the unknown fields: otelcol trips over them. */
  public RandomRequests(long seed, boolean hasGroups) {
    this.random = new Random(seed);
    this.hasGroups = hasGroups;
  }

  public ExportTraceServiceRequest request() {
    ExportTraceServiceRequest.Builder request = ExportTraceServiceRequest.newBuilder();
    for (int i = few(3); i > 0; i--) {
      ResourceSpans.Builder resourceSpans = request.addResourceSpansBuilder();
      if (random.nextBoolean()) {
        Resource.Builder resource = resourceSpans.getResourceBuilder();
        for (int j = few(4); j > 0; j--) {
          resource.addAttributes(keyValue());
        }
        resource.setDroppedAttributesCount(integer());
        for (int j = few(2); j > 0; j--) {
          EntityRef.Builder entity = resource.addEntityRefsBuilder();
          entity.setSchemaUrl(text()).setType(text()).addIdKeys(text());
          for (int k = few(3); k > 0; k--) {
            entity.addDescriptionKeys(text());
          }
        }
      }
      for (int j = few(3); j > 0; j--) {
        resourceSpans.addScopeSpans(scopeSpans());
      }
      resourceSpans.setSchemaUrl(text());
    }
    return request.build();
  }

  private ScopeSpans scopeSpans() {
    ScopeSpans.Builder scopeSpans = ScopeSpans.newBuilder().setSchemaUrl(text());
    if (random.nextBoolean()) {
      InstrumentationScope.Builder scope = scopeSpans.getScopeBuilder();
      scope.setName(text()).setVersion(text()).setDroppedAttributesCount(integer());
      for (int i = few(2); i > 0; i--) {
        scope.addAttributes(keyValue());
      }
    }
    for (int i = few(4); i > 0; i--) {
      scopeSpans.addSpans(span());
    }
    return scopeSpans.build();
  }

  public Span span() {
    Span.Builder span =
        Span.newBuilder()
            .setTraceId(bytes(16))
            .setSpanId(bytes(8))
            .setTraceState(text())
            .setFlags(integer())
            .setName(text())
            .setKindValue(random.nextInt(8) - 1)
            .setStartTimeUnixNano(integer64())
            .setEndTimeUnixNano(integer64())
            .setDroppedAttributesCount(integer())
            .setDroppedEventsCount(integer())
            .setDroppedLinksCount(integer());
    switch (random.nextInt(3)) {
      case 0 -> span.setParentSpanId(bytes(8));
      case 1 -> span.setParentSpanId(ByteString.copyFrom(new byte[8]));
      default -> {}
    }
    for (int i = few(6); i > 0; i--) {
      span.addAttributes(keyValue());
    }
    for (int i = few(2); i > 0; i--) {
      Span.Event.Builder event = span.addEventsBuilder();
      event.setTimeUnixNano(integer64()).setName(text()).setDroppedAttributesCount(integer());
      for (int j = few(2); j > 0; j--) {
        event.addAttributes(keyValue());
      }
    }
    for (int i = few(2); i > 0; i--) {
      Span.Link.Builder link = span.addLinksBuilder();
      link.setTraceId(bytes(16)).setSpanId(bytes(8)).setTraceState(text()).setFlags(integer());
      link.setDroppedAttributesCount(integer());
      for (int j = few(2); j > 0; j--) {
        link.addAttributes(keyValue());
      }
    }
    switch (random.nextInt(3)) {
      case 0 -> span.setStatus(Status.newBuilder());
      case 1 ->
          span.setStatus(
              Status.newBuilder().setMessage(text()).setCodeValue(random.nextInt(5) - 1));
      default -> {}
    }
    if (random.nextInt(8) == 0) {
      span.setUnknownFields(unknown());
    }
    return span.build();
  }

  /** A request of metrics or of logs, with any fields of its description. */
  public Message request(Message defaultInstance) {
    Message.Builder request = defaultInstance.newBuilderForType();
    fill(request, 6);
    return request.build();
  }

  private void fill(Message.Builder message, int depth) {
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      if (field.getName().endsWith("_strindex")) {
        continue; // of profiles alone
      }
      OneofDescriptor oneof = field.getContainingOneof();
      boolean isTaken =
          oneof == null
              ? random.nextInt(4) != 0
              : !message.hasOneof(oneof)
                  && random.nextInt(oneof.getFieldCount() - oneof.getFields().indexOf(field)) == 0;
      if (!isTaken) {
        continue;
      }
      if (field.isRepeated()) {
        for (int i = few(depth > 3 ? 3 : 5); i > 0; i--) {
          message.addRepeatedField(field, value(message, field, depth));
        }
      } else {
        message.setField(field, value(message, field, depth));
      }
    }
  }

  private Object value(Message.Builder parent, FieldDescriptor field, int depth) {
    return switch (field.getJavaType()) {
      case INT -> integer();
      case LONG -> integer64();
      case FLOAT, DOUBLE -> DOUBLES[2 + random.nextInt(DOUBLES.length - 2)]; // -0.0 is 0 to otelcol
      case BOOLEAN -> random.nextBoolean();
      case STRING -> text();
      case BYTE_STRING ->
          switch (field.getName()) {
            case "trace_id" -> bytes(16);
            case "span_id" -> bytes(8);
            default -> bytes(few(20));
          };
      case ENUM ->
          field
              .getEnumType()
              .getValues()
              .get(random.nextInt(field.getEnumType().getValues().size()));
      case MESSAGE -> {
        if (field.getMessageType().equals(AnyValue.getDescriptor())) {
          yield value(2);
        }
        Message.Builder message = parent.newBuilderForField(field);
        fill(message, depth - 1);
        yield message.build();
      }
    };
  }

  private UnknownFieldSet unknown() {
    if (!hasGroups) {
      return UnknownFieldSet.newBuilder()
          .mergeVarintField(17, random.nextInt())
          .mergeField(
              1234,
              UnknownFieldSet.Field.newBuilder()
                  .addFixed32(1)
                  .addFixed64(2)
                  .addLengthDelimited(bytes(3))
                  .build())
          .build();
    }
    return UnknownFieldSet.newBuilder()
        .mergeVarintField(17, random.nextInt())
        .mergeField(
            1234,
            UnknownFieldSet.Field.newBuilder()
                .addFixed32(1)
                .addFixed64(2)
                .addLengthDelimited(bytes(3))
                .addGroup(
                    UnknownFieldSet.newBuilder()
                        .mergeVarintField(1, 5)
                        .mergeField(
                            2,
                            UnknownFieldSet.Field.newBuilder()
                                .addGroup(UnknownFieldSet.getDefaultInstance())
                                .build())
                        .build())
                .build())
        .build();
  }

  private KeyValue keyValue() {
    KeyValue.Builder keyValue = KeyValue.newBuilder().setKey(text());
    if (random.nextInt(10) != 0) {
      keyValue.setValue(value(3));
    }
    return keyValue.build();
  }

  private AnyValue value(int depth) {
    AnyValue.Builder value = AnyValue.newBuilder();
    switch (random.nextInt(depth == 0 ? 6 : 8)) {
      case 0 -> value.setStringValue(text());
      case 1 -> value.setBoolValue(random.nextBoolean());
      case 2 -> value.setIntValue(integer64());
      case 3 ->
          value.setDoubleValue(
              random.nextBoolean()
                  ? DOUBLES[random.nextInt(DOUBLES.length)]
                  : Double.longBitsToDouble(random.nextLong()));
      case 4 -> value.setBytesValue(bytes(few(20)));
      case 5 -> {}
      case 6 -> {
        ArrayValue.Builder array = value.getArrayValueBuilder();
        for (int i = few(4); i > 0; i--) {
          array.addValues(value(depth - 1));
        }
      }
      default -> {
        KeyValueList.Builder list = value.getKvlistValueBuilder();
        for (int i = few(4); i > 0; i--) {
          list.addValues(KeyValue.newBuilder().setKey(text()).setValue(value(depth - 1)));
        }
      }
    }
    return value.build();
  }

  private int few(int bound) {
    return random.nextInt(bound);
  }

  private String text() {
    return TEXTS[random.nextInt(TEXTS.length)];
  }

  private int integer() {
    return random.nextBoolean() ? 0 : random.nextBoolean() ? 257 : random.nextInt();
  }

  private long integer64() {
    return random.nextBoolean() ? LONGS[random.nextInt(LONGS.length)] : random.nextLong();
  }

  private ByteString bytes(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return ByteString.copyFrom(bytes);
  }
}
