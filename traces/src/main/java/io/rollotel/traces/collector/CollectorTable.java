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
 * The collector's settings: the second half of the table, of which the agent has the first. The
 * agent asks for it only where it was given a setting it does not know.
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
                  "what a driver starts: `embedded`, `otelcol`, `auto` (otelcol if it is on the"
                      + " path), `none`")
              .readBy(Reader.DRIVER)
              .notForWorkers());

  static final Setting<InetAddress> COLLECTOR_HOST =
      add(
          Setting.of(
                  "COLLECTOR_HOST",
                  new Address(),
                  null,
                  "where a driver's collector listens; in a Ray job without it, on the node's address too")
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
                  "for `collect`: its certificate and key, and whose certificates senders have to show, in"
                      + " PEM: [docs/collector.md](docs/collector.md)")
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
              "what a collector takes at most: [docs/collector.md](docs/collector.md)"));

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
              "when a file is set aside for another, and what an acknowledgement means:"
                  + " [docs/file-format.md](docs/file-format.md)"));

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
                  "how much a run may add to the files in the output directory, all processes"
                      + " together; from half of it on whole traces are thinned out, and nothing"
                      + " is deleted; `0`: any amount"
                      + " ([docs/reliability.md](docs/reliability.md))")
              .defaultInWords("half of what is free")
              .readBy(Reader.PROCESS, Reader.COLLECTOR));

  public static final Setting<Long> KEEP_RUNS =
      add(
          ofCollector(
                  "KEEP_RUNS",
                  Parser.number(1, 1_000_000, "a whole number from 1"),
                  null,
                  "how many runs stay in the output directory, and how much their files take: when a"
                      + " run begins, and now and then, the oldest go with all of their files, never"
                      + " one that is being written ([docs/runs.md](docs/runs.md))")
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
                  Parser.text(),
                  null,
                  "where records, the page and `report --json` link to: a URL with `{trace_id}`,"
                      + " `{span_id}`, `{traceparent}`")
              .readBy(Reader.COLLECTOR, Reader.LIBRARY));

  static final Setting<Boolean> UI =
      add(
          Setting.of(
                  "UI",
                  Parser.flag(),
                  "on",
                  "whether the collector shows the run to a browser:"
                      + " [docs/report.md](docs/report.md)")
              .readBy(Reader.COLLECTOR));

  private CollectorTable() {}

  /** All, in the order in which people read them. */
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
