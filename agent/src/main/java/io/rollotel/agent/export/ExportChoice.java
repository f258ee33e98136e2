package io.rollotel.agent.export;

import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.rollotel.agent.settings.Exporter;
import io.rollotel.agent.settings.Settings;
import io.rollotel.traces.otlp.PartialSuccess;
import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.settings.EndpointText;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Where the user wants spans to go: by this project's settings, by the SDK's, and by the
 * application's code. As a supplier, it gives the endpoints that spans in the own file wait for: no
 * class has to be generated for that. Any thread.
 */
final class ExportChoice implements Supplier<List<String>> {

  private final boolean toFile;
  private final boolean replay;
  private boolean endpointGiven;
  private List<String> exporterNames = List.of();
  private @Nullable ConfigProperties config;

  /** How the application's code changes an exporter; null if it does not. */
  private @Nullable UnaryOperator<SpanExporter> users;

  ExportChoice(Settings settings) {
    toFile = settings.exporter() == Exporter.FILE;
    replay = settings.replay();
    endpointGiven = settings.endpointGiven("traces");
  }

  /** The names in {@code OTEL_TRACES_EXPORTER}; none means otlp. */
  void setExporters(List<String> names) {
    exporterNames = List.copyOf(names);
  }

  /**
   * Takes the SDK's settings.
   *
   * @param newUsers how the application's code changes an exporter; null if it does not
   */
  void configure(ConfigProperties newConfig, @Nullable UnaryOperator<SpanExporter> newUsers) {
    config = newConfig;
    users = newUsers;
    if (!toFile
        && (OtlpSettings.text(newConfig, "otel.exporter.otlp.endpoint") != null
            || OtlpSettings.text(newConfig, "otel.exporter.otlp.traces.endpoint") != null)) {
      endpointGiven = true; // by the application's code
    }
  }

  /** The SDK's settings; null before they are known. */
  @Nullable ConfigProperties config() {
    return config;
  }

  /** Whether no spans are to be sent. */
  boolean isNone() {
    return exporterNames.equals(List.of("none"));
  }

  /** Whether each process writes its own file. */
  boolean isFile() {
    return toFile;
  }

  /** Whether an endpoint is named. */
  boolean isEndpoint() {
    return endpointGiven;
  }

  /** Whether {@code OTEL_TRACES_EXPORTER} names another exporter than otlp. */
  boolean isOtherExporter() {
    return !(exporterNames.isEmpty() || exporterNames.equals(List.of("otlp")));
  }

  /** Whether an endpoint or another exporter is named, instead of the run's collector. */
  boolean isElsewhere() {
    return endpointGiven || isOtherExporter();
  }

  /** Whether the application's code changes exporters. */
  boolean isCustomized() {
    return users != null;
  }

  /** Whether spans are written to the output directory and not sent elsewhere. */
  boolean isWrittenHere() {
    return users == null && (toFile || !isElsewhere());
  }

  /** Whether the user wants spans in own files to be sent, and there is an endpoint. */
  boolean isReplayed() {
    return replay && isForAnEndpoint();
  }

  private boolean isForAnEndpoint() {
    return endpointGiven && !toFile && !isOtherExporter() && config != null;
  }

  /**
   * The endpoints for which spans wait in the own file. None for the run's own collector, which
   * writes beside that file anyway.
   */
  @Override
  public List<String> get() {
    ConfigProperties settings = config;
    if (settings == null || users != null || !isForAnEndpoint()) {
      return List.of();
    }
    List<String> urls = new ArrayList<>();
    try {
      for (URI url : OtlpSettings.urls(settings, Signal.TRACES)) {
        urls.add(EndpointText.withoutUser(url.toString()));
      }
    } catch (IllegalArgumentException unusable) {
      return List.of(); // and reported when the exporter was built
    }
    return urls;
  }

  /** Builds the exporters that the user names. */
  List<SpanExporter> exporters(
      ConfigProperties settings, SpokenProtocols protocols, Consumer<PartialSuccess> rejected) {
    return SpanExporters.ofUser(exporterNames, settings, protocols, rejected);
  }

  /** Their endpoint, for messages: without a password. */
  static String shown(ConfigProperties settings) {
    String ofTraces = OtlpSettings.text(settings, "otel.exporter.otlp.traces.endpoint");
    String ofAll = OtlpSettings.text(settings, "otel.exporter.otlp.endpoint");
    String given = ofTraces == null ? ofAll : ofTraces;
    return given == null ? "the exporters" : EndpointText.withoutUser(given);
  }

  /** Exporters as the application's code changes them. */
  List<SpanExporter> customized(List<SpanExporter> plain) {
    if (config == null || users == null) {
      return plain;
    }
    List<SpanExporter> all = new ArrayList<>();
    for (SpanExporter exporter : plain) {
      all.add(users.apply(exporter));
    }
    return all;
  }
}
