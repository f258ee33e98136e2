package io.rollotel.traces.collector;

import io.rollotel.traces.file.FileRules;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a collector is told.
 *
 * @param kind which collector a driver starts
 * @param host the address to listen on
 * @param httpPort the port for OTLP/HTTP; 0 for any that is free
 * @param grpcPort the port for OTLP/gRPC; 0 for any that is free, {@link #NONE} for no gRPC
 * @param token the bearer token that each request must carry; empty for none, null for a random one
 * @param limits what it takes at most
 * @param rules how the files are written
 * @param page whether it shows the run to a browser, and how
 */
public record CollectorSettings(
    Kind kind,
    InetAddress host,
    int httpPort,
    int grpcPort,
    @Nullable String token,
    Limits limits,
    FileRules rules,
    Page page) {

  /**
   * The page of the run that is on.
   *
   * @param isServed whether there is one
   * @param traceUrl where its spans link to, as {@link
   *     io.rollotel.traces.report.ReportOptions#traceUrl}; null for nowhere
   */
  public record Page(boolean isServed, @Nullable String traceUrl) {

    /** Served, without links. */
    public static final Page DEFAULT = new Page(true, null);
  }

  /** One that serves {@link Page#DEFAULT}. */
  public CollectorSettings(
      Kind kind,
      InetAddress host,
      int httpPort,
      int grpcPort,
      @Nullable String token,
      Limits limits,
      FileRules rules) {
    this(kind, host, httpPort, grpcPort, token, limits, rules, Page.DEFAULT);
  }

  /** Which collector a driver starts. */
  public enum Kind {
    /** The one in this module. */
    EMBEDDED,
    /** otelcol-contrib or otelcol where one is on the path, else the embedded one. */
    AUTO,
    /** otelcol-contrib or otelcol. */
    OTELCOL,
    /** None: each process writes its own file. */
    NONE
  }

  /** No port. */
  public static final int NONE = -1;

  /** The names that {@link #read} asks for, as environment variables without {@code ROLL_OTEL_}. */
  public static final List<String> NAMES =
      List.of(
          "COLLECTOR",
          "COLLECTOR_HOST",
          "FILE_GZIP",
          "FILE_MAX_BYTES",
          "FILE_MAX_LINES",
          "FSYNC",
          "GRPC_PORT",
          "HTTP_PORT",
          "MAX_CONNECTIONS",
          "MAX_IN_FLIGHT_BYTES",
          "MAX_REQUEST_BYTES",
          "MAX_STREAMS",
          "REQUEST_TIMEOUT",
          "TRACE_URL_TEMPLATE",
          "UI");

  private static final Pattern BYTES =
      Pattern.compile("(\\d{1,15})\\s*([kmg]?)(?:i?b)?", Pattern.CASE_INSENSITIVE);
  private static final Pattern SECONDS = Pattern.compile("(\\d{1,6}(?:\\.\\d+)?)\\s*(ms|s)?");
  private static final Map<String, Integer> SHIFTS = Map.of("", 0, "k", 10, "m", 20, "g", 30);

  /**
   * What is bounded; each refusal is counted.
   *
   * @param maxRequestBytes of one request, as it is sent and as it is decompressed
   * @param maxInFlightBytes of all requests that are being received
   * @param maxConnections of OTLP/gRPC, and requests of OTLP/HTTP that are served at once
   * @param maxStreams requests at once on one connection of OTLP/gRPC
   * @param requestTimeoutMillis how long a request may take to be all there, where others wait
   */
  public record Limits(
      int maxRequestBytes,
      long maxInFlightBytes,
      int maxConnections,
      int maxStreams,
      long requestTimeoutMillis) {

    /** 16 MiB, 24 MiB, 256, 128, 30 s. */
    public static final Limits DEFAULT = new Limits(16 << 20, 24 << 20, 256, 128, 30_000);
  }

  /** What a driver has without further settings: loopback, any port, a random token, no gRPC. */
  public static CollectorSettings ofDriver() {
    return new CollectorSettings(
        Kind.EMBEDDED,
        InetAddress.getLoopbackAddress(),
        0,
        NONE,
        null,
        Limits.DEFAULT,
        FileRules.DEFAULT);
  }

  /**
   * A driver's settings with what the user set.
   *
   * @param values gives the value of one of {@link #NAMES}, null where it is not set
   * @param complain takes a line for each value that is not understood, whose default holds then
   */
  public static CollectorSettings read(
      Function<String, @Nullable String> values, Consumer<String> complain) {
    Reading reading = new Reading(values, complain);
    FileRules rules = FileRules.DEFAULT;
    return new CollectorSettings(
        reading.kind("COLLECTOR"),
        reading.host("COLLECTOR_HOST"),
        (int) reading.number("HTTP_PORT", 0, 0, 65_535),
        (int) reading.number("GRPC_PORT", NONE, 0, 65_535),
        null,
        reading.limits(),
        new FileRules(
            reading.bytes("FILE_MAX_BYTES", rules.maxBytes(), 1L << 50),
            reading.number("FILE_MAX_LINES", rules.maxLines(), 0, Long.MAX_VALUE),
            reading.flag("FILE_GZIP", false),
            reading.flag("FSYNC", false)),
        new Page(reading.flag("UI", true), values.apply("TRACE_URL_TEMPLATE")));
  }

  private record Reading(Function<String, @Nullable String> values, Consumer<String> complain) {

    private Kind kind(String name) {
      String value = values.apply(name);
      if (value == null) {
        return Kind.EMBEDDED;
      }
      for (Kind kind : Kind.values()) {
        if (kind.name().equalsIgnoreCase(value)) {
          return kind;
        }
      }
      malformed(name, value, "embedded, auto, otelcol, none", 0);
      return Kind.EMBEDDED;
    }

    private Limits limits() {
      Limits otherwise = Limits.DEFAULT;
      int request = (int) bytes("MAX_REQUEST_BYTES", otherwise.maxRequestBytes(), 64 << 20);
      // Or the largest requests would be sent again and again, and each time refused.
      long least = Math.max((long) request + request / 2, 64 << 10);
      long inFlight =
          bytes("MAX_IN_FLIGHT_BYTES", Math.max(otherwise.maxInFlightBytes(), least), 1L << 40);
      if (inFlight < least) {
        complain.accept(
            "ROLL_OTEL_MAX_IN_FLIGHT_BYTES="
                + inFlight
                + " is too little for requests of ROLL_OTEL_MAX_REQUEST_BYTES="
                + request
                + "; it is "
                + least);
      }
      return new Limits(
          request,
          Math.max(inFlight, least),
          (int) number("MAX_CONNECTIONS", otherwise.maxConnections(), 1, 100_000),
          (int) number("MAX_STREAMS", otherwise.maxStreams(), 1, 100_000),
          millis("REQUEST_TIMEOUT", otherwise.requestTimeoutMillis()));
    }

    private InetAddress host(String name) {
      InetAddress otherwise = InetAddress.getLoopbackAddress();
      String value = values.apply(name);
      try {
        return value == null ? otherwise : InetAddress.getByName(value);
      } catch (UnknownHostException e) {
        malformed(name, value, "an address of this host", 0);
        return otherwise;
      }
    }

    private long number(String name, long otherwise, long least, long most) {
      String value = values.apply(name);
      if (value == null) {
        return otherwise;
      }
      if (value.matches("\\d{1,18}")) {
        long number = Long.parseLong(value);
        if (number >= least && number <= most) {
          return number;
        }
      }
      return malformed(name, value, "a whole number from " + least, otherwise);
    }

    private long bytes(String name, long otherwise, long most) {
      String value = values.apply(name);
      if (value == null) {
        return otherwise;
      }
      Matcher matcher = BYTES.matcher(value);
      if (matcher.matches()) {
        int shift = SHIFTS.getOrDefault(matcher.group(2).toLowerCase(Locale.ROOT), 0);
        long count = Long.parseLong(matcher.group(1));
        if (count <= most >> shift) {
          return count << shift;
        }
      }
      return malformed(
          name, value, "a number of bytes such as 1000000 or 64m, " + most + " at most", otherwise);
    }

    private long millis(String name, long otherwise) {
      String value = values.apply(name);
      if (value == null) {
        return otherwise;
      }
      Matcher matcher = SECONDS.matcher(value);
      if (matcher.matches()) {
        double factor = "ms".equals(matcher.group(2)) ? 1 : 1000;
        return Math.max(1, (long) (Double.parseDouble(matcher.group(1)) * factor));
      }
      return malformed(name, value, "a number of seconds such as 30 or 500ms", otherwise);
    }

    private boolean flag(String name, boolean otherwise) {
      String value = values.apply(name);
      if (value == null) {
        return otherwise;
      }
      switch (value.toLowerCase(Locale.ROOT)) {
        case "1", "true", "yes", "on" -> {
          return true;
        }
        case "0", "false", "no", "off" -> {
          return false;
        }
        default -> {
          malformed(name, value, "1, true, yes or on; 0, false, no or off", 0);
          return otherwise;
        }
      }
    }

    private long malformed(String name, @Nullable String value, String wanted, long otherwise) {
      complain.accept("ROLL_OTEL_" + name + "=" + value + " is not understood; it takes " + wanted);
      return otherwise;
    }
  }
}
