package io.rollotel.it;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;
import io.rollotel.telemetry.Telemetry;
import io.rollotel.telemetry.TraceContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes the calls of the parity vectors, which {@code parity_vectors.py} describes, and prints what
 * held inside each: a JSON object a line.
 */
@SuppressWarnings({"roll-otel:no-carrier", "roll-otel:same-span-name"})
public final class ParityWorker {

  private final String row;

  private ParityWorker(String row) {
    this.row = row;
  }

  /** Takes the file of the vectors. */
  public static void main(String[] arguments) throws Exception {
    Map<String, Object> vectors = Json.object(Files.readString(Path.of(arguments[0])));
    List<Map<String, Object>> rows = new ArrayList<>(Json.maps(vectors.get("rows")));
    rows.addAll(Json.maps(vectors.get("differences")));
    for (Map<String, Object> row : rows) {
      new ParityWorker(row.get("name") + "/").all("", Json.maps(row.get("calls")), null);
      if (Context.current() != Context.root()) {
        throw new IllegalStateException("left behind: " + Context.current());
      }
    }
  }

  private void all(String prefix, List<Map<String, Object>> calls, @Nullable Payload sent) {
    for (int i = 0; i < calls.size(); i++) {
      one(prefix + i, calls.get(i), sent);
    }
  }

  private void one(String place, Map<String, Object> call, @Nullable Payload sent) {
    List<@Nullable Payload> payloads = new ArrayList<>();
    for (Object metaInfo : (List<?>) call.getOrDefault("payloads", List.of())) {
      payloads.add(
          metaInfo == null ? null : metaInfo.equals("sent") ? sent : payload(Json.map(metaInfo)));
    }
    Runnable body = () -> inside(place, call, null);
    switch (String.valueOf(call.get("call"))) {
      case "traced" -> {
        switch (payloads.size()) {
          case 0 -> traced(body, row + place);
          case 1 -> traced(payloads.get(0), body, row + place);
          default -> traced(payloads.get(0), payloads.get(1), body, row + place);
        }
      }
      case "untraced" -> untraced(payloads.get(0), body);
      case "attach" -> {
        Payload payload = payloads.get(0);
        try (Scope scope = TraceContext.attach(payload == null ? null : payload.getMetaInfo())) {
          body.run();
        }
      }
      case "span" -> {
        Span span = Telemetry.tracer().spanBuilder("span").startSpan();
        span.setAttribute("at", row + place);
        try (Scope scope = span.makeCurrent()) {
          body.run();
        } finally {
          span.end();
        }
      }
      case "dispatch" -> {
        Payload payload = payloads.get(0);
        dispatch(payload);
        inside(place, call, payload);
      }
      default -> throw new IllegalArgumentException(call.toString());
    }
  }

  private void inside(String place, Map<String, Object> call, @Nullable Payload sent) {
    SpanContext current = Span.current().getSpanContext();
    Span probe = Telemetry.tracer().spanBuilder("probe").startSpan();
    probe.setAttribute("at", row + place + "/probe");
    probe.end();
    Map<String, Object> injected =
        sent == null ? TraceContext.inject(new HashMap<>()) : sent.getMetaInfo();
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("at", row + place);
    line.put("call", call.get("call"));
    line.put("valid", current.isValid());
    line.put("trace", current.getTraceId());
    line.put("span", current.getSpanId());
    line.put("suppressed", TraceContext.isSuppressed(Context.current()));
    if (injected.containsKey("_otel_ctx")) {
      line.put("injected", injected.get("_otel_ctx"));
    }
    System.out.println(Json.text(line));
    all(place + ".", Json.maps(call.get("inside")), sent);
  }

  private static Payload payload(Map<String, Object> metaInfo) {
    Payload payload = new Payload();
    payload.getMetaInfo().putAll(metaInfo);
    return payload;
  }

  @Register(trace = true)
  private static void traced(Runnable body, @SpanAttribute("at") String at) {
    body.run();
  }

  @Register(trace = true)
  private static void traced(
      @Nullable Payload payload, Runnable body, @SpanAttribute("at") String at) {
    body.run();
  }

  @Register(trace = true)
  private static void traced(
      @Nullable Payload first,
      @Nullable Payload second,
      Runnable body,
      @SpanAttribute("at") String at) {
    body.run();
  }

  @Register
  private static void untraced(@Nullable Payload payload, Runnable body) {
    body.run();
  }

  @Dispatch
  private static void dispatch(@Nullable Payload payload) {}
}
