package io.rollotel.traces.collector;

import java.net.URI;

/** The transports of OTLP. */
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

  /** The protocol that a sender tries first: gRPC on port 4317, which is registered for it. */
  public static OtlpProtocol expectedOf(URI endpoint) {
    return HostPort.of(endpoint).port() == GRPC_PORT ? GRPC : HTTP;
  }

  /**
   * By its name in {@code OTEL_EXPORTER_OTLP_PROTOCOL}; any other word means protobuf over HTTP.
   */
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
