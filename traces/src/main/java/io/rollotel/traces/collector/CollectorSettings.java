package io.rollotel.traces.collector;

import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.file.Retention;
import io.rollotel.traces.file.RunBytes;
import io.rollotel.traces.settings.Port;
import io.rollotel.traces.settings.Setting;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a collector.
 *
 * @param kind which collector a driver starts
 * @param host the address to listen on
 * @param httpPort the port for OTLP/HTTP; 0 for any free port
 * @param grpcPort the port for OTLP/gRPC; 0 for any free port, {@link #NONE} for no gRPC
 * @param token the bearer token that each request must carry; empty for none, null for a random one
 * @param limits the most that it accepts
 * @param rules how the files are written
 * @param page whether it shows the run to a browser, and how
 * @param tls how connections are encrypted; null for unencrypted ones
 * @param runBytes how much the run may write, 0 for any amount; null for a part of the free space
 * @param kept which runs stay in the directory
 */
public record CollectorSettings(
    Kind kind,
    InetAddress host,
    int httpPort,
    int grpcPort,
    @Nullable String token,
    Limits limits,
    FileRules rules,
    Page page,
    @Nullable Tls tls,
    @Nullable Long runBytes,
    Retention.Rules kept) {

  /** Settings by which all runs stay. */
  public CollectorSettings(
      Kind kind,
      InetAddress host,
      int httpPort,
      int grpcPort,
      @Nullable String token,
      Limits limits,
      FileRules rules,
      Page page,
      @Nullable Tls tls,
      @Nullable Long runBytes) {
    this(
        kind,
        host,
        httpPort,
        grpcPort,
        token,
        limits,
        rules,
        page,
        tls,
        runBytes,
        Retention.Rules.NONE);
  }

  /** Settings without encryption, for a run whose files may take a part of the free space. */
  public CollectorSettings(
      Kind kind,
      InetAddress host,
      int httpPort,
      int grpcPort,
      @Nullable String token,
      Limits limits,
      FileRules rules,
      Page page) {
    this(kind, host, httpPort, grpcPort, token, limits, rules, page, null, null);
  }

  /**
   * The collector's certificate, and the CA that must have signed the senders' certificates.
   *
   * @param certificate a PEM file with the certificate and its intermediate certificates
   * @param key a PEM file of the key that belongs to it, in PKCS 8
   * @param clientCa a PEM file of the certificates by which senders' own are signed; null if
   *     senders need none
   */
  public record Tls(Path certificate, Path key, @Nullable Path clientCa) {}

  /** The given parts of {@link Tls}; null for others. */
  public record TlsParts(@Nullable Path certificate, @Nullable Path key, @Nullable Path clientCa) {

    /** These parts, completed by the other's. */
    public TlsParts or(TlsParts others) {
      return new TlsParts(
          certificate != null ? certificate : others.certificate,
          key != null ? key : others.key,
          clientCa != null ? clientCa : others.clientCa);
    }

    /** Whether no part is given: then connections are not encrypted. */
    public boolean isEmpty() {
      return certificate == null && key == null && clientCa == null;
    }

    /** The settings of encryption; null if a part is missing. */
    public @Nullable Tls whole() {
      return certificate == null || key == null ? null : new Tls(certificate, key, clientCa);
    }
  }

  /**
   * The page of the current run.
   *
   * @param isServed whether there is one
   * @param traceUrl where its spans link to, as {@link
   *     io.rollotel.traces.report.ReportOptions#traceUrl}; null for nowhere
   */
  public record Page(boolean isServed, @Nullable String traceUrl) {}

  /** Which collector a driver starts. */
  public enum Kind {
    /** The one in this module. */
    EMBEDDED,
    /** otelcol-contrib or otelcol if one is on the path, otherwise the embedded one. */
    AUTO,
    /** otelcol-contrib or otelcol. */
    OTELCOL,
    /** None: each process writes its own file. */
    NONE
  }

  /** No port. */
  public static final int NONE = (int) Port.NONE;

  /**
   * The limits; each refusal is counted.
   *
   * @param maxRequestBytes of one request, both as sent and as decompressed
   * @param maxInFlightBytes of all requests that are being received
   * @param maxConnections of OTLP/gRPC, and requests of OTLP/HTTP that are served at once
   * @param maxStreams requests at once on one connection of OTLP/gRPC
   * @param requestTimeoutMillis how long a request may take to arrive completely while others wait
   */
  public record Limits(
      int maxRequestBytes,
      long maxInFlightBytes,
      int maxConnections,
      int maxStreams,
      long requestTimeoutMillis) {}

  /** The same for the files of a run. */
  CollectorSettings within(RunBytes ofRun) {
    return new CollectorSettings(
        kind,
        host,
        httpPort,
        grpcPort,
        token,
        limits,
        rules.within(ofRun),
        page,
        tls,
        runBytes,
        kept);
  }

  /** The same at another address. */
  CollectorSettings at(InetAddress newHost) {
    return new CollectorSettings(
        kind, newHost, httpPort, grpcPort, token, limits, rules, page, tls, runBytes, kept);
  }

  /** A driver's defaults: loopback, any ports, a random token. */
  public static CollectorSettings ofDriver() {
    return read(name -> null, complaint -> {});
  }

  /**
   * A driver's settings with what the user set.
   *
   * @param values gives the value of one of {@link CollectorTable#entries}, by its name; null if it
   *     is not set
   * @param complain receives a line for each invalid value, which is replaced by its default
   */
  public static CollectorSettings read(
      Function<String, @Nullable String> values, Consumer<String> complain) {
    Reading reading = new Reading(values, new ArrayList<>());
    InetAddress host = reading.get(CollectorTable.COLLECTOR_HOST);
    CollectorSettings read =
        new CollectorSettings(
            reading.required(CollectorTable.COLLECTOR),
            host == null ? InetAddress.getLoopbackAddress() : host,
            reading.required(CollectorTable.HTTP_PORT).intValue(),
            reading.required(CollectorTable.GRPC_PORT).intValue(),
            null,
            reading.limits(),
            new FileRules(
                reading.required(CollectorTable.FILE_MAX_BYTES),
                reading.required(CollectorTable.FILE_MAX_LINES),
                reading.required(CollectorTable.FILE_GZIP),
                reading.required(CollectorTable.FSYNC)),
            new Page(
                reading.required(CollectorTable.UI),
                reading.get(CollectorTable.TRACE_URL_TEMPLATE)),
            null,
            reading.get(CollectorTable.RUN_BYTES),
            reading.kept());
    if (!reading.tls().isEmpty()) {
      // Its own agent would have to trust it, but has no certificates for the run's collector.
      reading.complaints.add(
          CollectorTable.TLS_CERT + " is for collect: a driver's collector is not encrypted");
    }
    reading.complaints.forEach(complain);
    return read;
  }

  /** For a process that starts no collector: how much the run may write. */
  static @Nullable Long readRunBytes(
      Function<String, @Nullable String> values, Consumer<String> complain) {
    Reading reading = new Reading(values, new ArrayList<>());
    Long read = reading.get(CollectorTable.RUN_BYTES);
    reading.complaints.forEach(complain);
    return read;
  }

  /** The settings of {@link CollectorTable} for encryption, for {@code collect} only. */
  public static TlsParts readTls(
      Function<String, @Nullable String> values, Consumer<String> complain) {
    Reading reading = new Reading(values, new ArrayList<>());
    TlsParts tls = reading.tls();
    reading.complaints.forEach(complain);
    return tls;
  }

  private record Reading(Function<String, @Nullable String> values, List<String> complaints) {

    private <T> @Nullable T get(Setting<T> setting) {
      return setting.read(values.apply(setting.name()), complaints);
    }

    /** The value of a setting with a default. */
    private <T> T required(Setting<T> setting) {
      return Objects.requireNonNull(get(setting));
    }

    private Retention.Rules kept() {
      Long runs = get(CollectorTable.KEEP_RUNS);
      Long bytes = get(CollectorTable.KEEP_BYTES);
      return new Retention.Rules(runs == null ? 0 : runs, bytes == null ? 0 : bytes);
    }

    private TlsParts tls() {
      return new TlsParts(
          path(CollectorTable.TLS_CERT),
          path(CollectorTable.TLS_KEY),
          path(CollectorTable.TLS_CLIENT_CA));
    }

    private @Nullable Path path(Setting<String> setting) {
      String given = get(setting);
      return given == null ? null : Path.of(given);
    }

    private Limits limits() {
      int request = required(CollectorTable.MAX_REQUEST_BYTES).intValue();
      // Otherwise the largest requests would be sent again and again, and refused each time.
      long least = Math.max((long) request + request / 2, 2 * RequestBody.SEGMENT_BYTES);
      return new Limits(
          request,
          inFlight(request, least),
          required(CollectorTable.MAX_CONNECTIONS).intValue(),
          required(CollectorTable.MAX_STREAMS).intValue(),
          Math.max(1, required(CollectorTable.REQUEST_TIMEOUT)));
    }

    private long inFlight(int request, long least) {
      Setting<Long> setting = CollectorTable.MAX_IN_FLIGHT_BYTES;
      Long given = setting.understood(values.apply(setting.name()), complaints);
      if (given != null && given < least) {
        complaints.add(
            setting
                + "="
                + given
                + " is too little for requests of "
                + CollectorTable.MAX_REQUEST_BYTES
                + "="
                + request
                + "; it is "
                + least);
      }
      long wanted = given == null ? Objects.requireNonNull(setting.defaultValue()) : given;
      return Math.max(wanted, least);
    }
  }
}
