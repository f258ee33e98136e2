package io.rollotel.traces.collector;

import java.net.URI;

/** How OTLP's requests travel. */
public enum OtlpProtocol {
  /** OTLP/gRPC, over HTTP/2. */
  GRPC("gRPC", "grpc"),
  /** OTLP/HTTP, over HTTP/1.1. */
  HTTP("HTTP", "http/protobuf");

  private static final int GRPC_PORT = 4317;

  private final String title;
  private final String setting;

  OtlpProtocol(String title, String setting) {
    this.title = title;
    this.setting = setting;
  }

  /** What a sender begins with: gRPC on port 4317, which OpenTelemetry has registered for it. */
  public static OtlpProtocol expectedOf(URI endpoint) {
    return HostPort.of(endpoint).port() == GRPC_PORT ? GRPC : HTTP;
  }

  /** As {@code OTEL_EXPORTER_OTLP_PROTOCOL} names it; every other word is protobuf over HTTP. */
  public static OtlpProtocol named(String setting) {
    return setting.equalsIgnoreCase(GRPC.setting) ? GRPC : HTTP;
  }

  /** The other of the two. */
  public OtlpProtocol other() {
    return this == GRPC ? HTTP : GRPC;
  }

  /** Its value in {@code OTEL_EXPORTER_OTLP_PROTOCOL}. */
  public String setting() {
    return setting;
  }

  /** For messages. */
  @Override
  public String toString() {
    return title;
  }
}
