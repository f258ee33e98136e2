package io.rollotel.traces.collector;

import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.otlp.WireBuffer;
import io.rollotel.traces.settings.Address;
import io.rollotel.traces.settings.Parser;
import io.rollotel.traces.settings.Port;
import io.rollotel.traces.settings.Setting;
import io.rollotel.traces.settings.Setting.Reader;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The collector's settings: the second half of the settings table; the agent has the first. The
 * agent loads this half only if it gets a setting it does not know.
 */
public final class CollectorTable {

  private static final int MOST_PORT = 65_535;
  private static final long MOST_AT_ONCE = 100_000;
  private static final long MOST_MILLIS = 1_000_000_000;

  // Must be declared before the entries, whose initializers add to it.
  private static final List<Setting<?>> ENTRIES = new ArrayList<>();

  static final Setting<CollectorSettings.Kind> COLLECTOR =
      add(
          Setting.of(
                  "COLLECTOR",
                  Parser.choice(CollectorSettings.Kind.values()),
                  "embedded",
                  "the collector that a driver starts: `embedded`, `otelcol`, `auto` (otelcol if it"
                      + " is on the path) or `none`")
              .readBy(Reader.DRIVER)
              .notForWorkers());

  static final Setting<InetAddress> COLLECTOR_HOST =
      add(
          Setting.of(
                  "COLLECTOR_HOST",
                  new Address(),
                  null,
                  "where a driver's collector listens. In a Ray job, it also listens on the node's"
                      + " address unless you set a host")
              .defaultInWords("loopback")
              .readBy(Reader.DRIVER)
              .notForWorkers());

  static final Setting<Long> HTTP_PORT =
      add(
          Setting.of("HTTP_PORT", port(), "0", Setting.AS_ABOVE)
              .defaultInWords("any")
              .readBy(Reader.DRIVER)
              .notForWorkers());

  static final Setting<Long> GRPC_PORT =
      add(
          Setting.of("GRPC_PORT", new Port(), "0", Setting.AS_ABOVE)
              .defaultInWords("any")
              .readBy(Reader.DRIVER)
              .notForWorkers());

  static final Setting<String> TLS_CERT =
      add(
          ofCollector(
                  "TLS_CERT",
                  Parser.text(),
                  null,
                  "for `collect`, PEM files: its certificate, its key, and the certificates that sign"
                      + " the senders' (if set, every sender must show one): [collector.md](collector.md)")
              .defaultInWords("none"));

  static final Setting<String> TLS_KEY =
      add(ofCollector("TLS_KEY", Parser.text(), null, Setting.AS_ABOVE).defaultInWords("none"));

  static final Setting<String> TLS_CLIENT_CA =
      add(
          ofCollector("TLS_CLIENT_CA", Parser.text(), null, Setting.AS_ABOVE)
              .defaultInWords("none"));

  static final Setting<Long> MAX_REQUEST_BYTES =
      add(
          ofCollector(
              "MAX_REQUEST_BYTES",
              Parser.bytes(WireBuffer.MAX_REQUEST_BYTES),
              "16m",
              "a collector's limits: [collector.md](collector.md)"));

  static final Setting<Long> MAX_IN_FLIGHT_BYTES =
      add(ofCollector("MAX_IN_FLIGHT_BYTES", Parser.bytes(1L << 40), "24m", Setting.AS_ABOVE));

  static final Setting<Long> MAX_CONNECTIONS =
      add(ofCollector("MAX_CONNECTIONS", atOnce(), "256", Setting.AS_ABOVE));

  static final Setting<Long> MAX_STREAMS =
      add(ofCollector("MAX_STREAMS", atOnce(), "128", Setting.AS_ABOVE));

  static final Setting<Long> REQUEST_TIMEOUT =
      add(
          ofCollector(
              "REQUEST_TIMEOUT",
              Parser.seconds(MOST_MILLIS, "a number of seconds such as 30 or 500ms"),
              "30",
              Setting.AS_ABOVE));

  static final Setting<Long> FILE_MAX_BYTES =
      add(
          ofCollector(
              "FILE_MAX_BYTES",
              Parser.bytes(1L << 50),
              Long.toString(FileRules.DEFAULT.maxBytes() >> 20).concat("m"),
              "when the collector begins a new file, whether it compresses finished ones, and"
                  + " whether it acknowledges only what is on disk: [file-format.md](file-format.md)"));

  static final Setting<Long> FILE_MAX_LINES =
      add(
          ofCollector(
                  "FILE_MAX_LINES",
                  Parser.number(0, Long.MAX_VALUE, "a whole number from 0"),
                  Long.toString(FileRules.DEFAULT.maxLines()),
                  Setting.AS_ABOVE)
              .defaultInWords("any"));

  static final Setting<Boolean> FILE_GZIP =
      add(
          ofCollector(
              "FILE_GZIP", Parser.flag(), onOrOff(FileRules.DEFAULT.isGzip()), Setting.AS_ABOVE));

  static final Setting<Boolean> FSYNC =
      add(
          ofCollector(
              "FSYNC", Parser.flag(), onOrOff(FileRules.DEFAULT.isFsync()), Setting.AS_ABOVE));

  static final Setting<Long> RUN_BYTES =
      add(
          Setting.of(
                  "RUN_BYTES",
                  Parser.bytesOrNone(
                      64 << 10, 1L << 50, "0 for no limit, or a size from 64k such as 20g"),
                  null,
                  "the most that all processes of a run together may add to the output directory. From half of"
                      + " it on, some whole traces are left out; nothing is deleted. `0`: any"
                      + " amount ([reliability.md](reliability.md))")
              .defaultInWords("half of what is free")
              .readBy(Reader.PROCESS, Reader.COLLECTOR));

  public static final Setting<Long> KEEP_RUNS =
      add(
          ofCollector(
                  "KEEP_RUNS",
                  Parser.number(1, 1_000_000, "a whole number from 1"),
                  null,
                  "the most runs, and bytes, that stay in the output directory. When a run begins, and"
                      + " from time to time, the oldest runs are deleted with all of their files,"
                      + " but never one that is being written ([runs.md](runs.md))")
              .defaultInWords("all"));

  public static final Setting<Long> KEEP_BYTES =
      add(
          ofCollector(
                  "KEEP_BYTES",
                  Parser.bytesOrNone(
                      64 << 10, 1L << 60, "0 for any size, or a size from 64k such as 50g"),
                  null,
                  Setting.AS_ABOVE)
              .defaultInWords("any"));

  static final Setting<String> TRACE_URL_TEMPLATE =
      add(
          Setting.of(
                  "TRACE_URL_TEMPLATE",
                  // The library has the same rule: TraceCorrelation.
                  Parser.text(
                      "[A-Za-z][A-Za-z0-9+.-]*:.*\\{(trace_id|span_id|traceparent)\\}.*",
                      "a URL with {trace_id}, {span_id} or {traceparent}"),
                  null,
                  "the target of links in records, in the page and in `report --json`: a URL with"
                      + " any of `{trace_id}`, `{span_id}` and `{traceparent}`")
              .readBy(Reader.COLLECTOR, Reader.LIBRARY));

  static final Setting<Boolean> UI =
      add(
          Setting.of(
                  "UI",
                  Parser.flag(),
                  "on",
                  "whether the collector shows the run to a browser: [report.md](report.md)")
              .readBy(Reader.COLLECTOR));

  private CollectorTable() {}

  /** All settings, in their documented order. */
  public static List<Setting<?>> entries() {
    return Collections.unmodifiableList(ENTRIES);
  }

  private static <T> Setting<T> add(Setting<T> entry) {
    ENTRIES.add(entry);
    return entry;
  }

  private static <T> Setting<T> ofCollector(
      String name, Parser<T> parser, @Nullable String otherwise, String meaning) {
    return Setting.of(name, parser, otherwise, meaning).readBy(Reader.COLLECTOR).notForWorkers();
  }

  private static String onOrOff(boolean isOn) {
    return isOn ? "on" : "off";
  }

  private static Parser<Long> port() {
    return Parser.number(0, MOST_PORT, "a whole number from 0");
  }

  private static Parser<Long> atOnce() {
    return Parser.number(1, MOST_AT_ONCE, "a whole number from 1");
  }
}
