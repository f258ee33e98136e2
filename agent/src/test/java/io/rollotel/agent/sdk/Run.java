package io.rollotel.agent.sdk;

import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.autoconfigure.spi.internal.DefaultConfigProperties;
import io.opentelemetry.sdk.common.Clock;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.rollotel.agent.export.BatchingSpanProcessor;
import io.rollotel.agent.export.FallbackExporter;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.recorder.Recorder;
import io.rollotel.agent.settings.TestSettings;
import io.rollotel.agent.span.RecorderSpanProcessor;
import io.rollotel.agent.span.Thinning;
import io.rollotel.traces.collector.Rendezvous;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.Span;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The part of a process that exports spans: provider, queue, delivery. */
public final class Run implements AutoCloseable {

  final Path directory;
  public final Ledger account = new Ledger();
  public final Rendezvous rendezvous;
  public final FallbackExporter delivery;
  public final BatchingSpanProcessor queue;
  public final SdkTracerProvider provider;
  public final Tracer tracer;

  /** What the rendezvous says. */
  public final List<String> lines = new ArrayList<>();

  private Run(Path directory, boolean mayLead, String arguments, Map<String, String> config) {
    this(directory, mayLead, arguments, config, new Recorder(0, directory.toFile()));
  }

  private Run(
      Path directory,
      boolean mayLead,
      String arguments,
      Map<String, String> config,
      Recorder recorder) {
    this.directory = directory;
    rendezvous = new Rendezvous(directory.toFile(), mayLead, false, "run", lines::add, lines::add);
    delivery = new FallbackExporter(TestSettings.of(arguments), rendezvous, "host:1", account);
    delivery.configure(DefaultConfigProperties.createFromMap(config), null);
    queue = new BatchingSpanProcessor(delivery, account, recorder, new Thinning(account));
    queue.configure(DefaultConfigProperties.createFromMap(config));
    provider =
        SdkTracerProvider.builder()
            .addSpanProcessor(
                recorder.isWanted()
                    ? new RecorderSpanProcessor(recorder, queue, Clock.getDefault())
                    : queue)
            .build();
    tracer = provider.get("test");
  }

  /** A worker that finds no collector. */
  public static Run alone(Path directory, int queueSize, int batchSize) {
    return new Run(
        directory,
        false,
        "",
        Map.of(
            "otel.bsp.max.queue.size",
            Integer.toString(queueSize),
            "otel.bsp.max.export.batch.size",
            Integer.toString(batchSize)));
  }

  /** The process that collects. */
  public static Run driver(Path directory) {
    return new Run(directory, true, "", Map.of());
  }

  /** A worker with an endpoint and settings of the user's. */
  public static Run withEndpoint(Path directory, String endpoint, int timeoutMillis) {
    return withEndpoint(directory, endpoint, timeoutMillis, 16_384);
  }

  /** The same with a queue of this size, of which a tenth is a batch. */
  public static Run withEndpoint(
      Path directory, String endpoint, int timeoutMillis, int queueSize) {
    Recorder none = new Recorder(0, directory.toFile());
    return withEndpoint(directory, endpoint, timeoutMillis, queueSize, none);
  }

  /** The same with a recorder. */
  public static Run withEndpoint(
      Path directory, String endpoint, int timeoutMillis, int queueSize, Recorder recorder) {
    return new Run(
        directory,
        false,
        "otel.exporter.otlp.endpoint=" + endpoint,
        Map.of(
            "otel.exporter.otlp.endpoint",
            endpoint,
            "otel.exporter.otlp.protocol",
            "http/protobuf",
            "otel.exporter.otlp.timeout",
            Integer.toString(timeoutMillis),
            "otel.java.exporter.otlp.retry.disabled",
            "true",
            "otel.bsp.max.queue.size",
            Integer.toString(queueSize),
            "otel.bsp.max.export.batch.size",
            Integer.toString(Math.min(512, queueSize / 10)),
            "otel.bsp.schedule.delay",
            "1h"),
        recorder);
  }

  public void end(String... names) {
    for (String name : names) {
      tracer.spanBuilder(name).startSpan().end();
    }
  }

  /** As {@link #end}, for spans that the sampler drops or only records. */
  public void endUnsampled(String name) {
    try (SdkTracerProvider dropping =
        SdkTracerProvider.builder()
            .setSampler(Sampler.alwaysOff())
            .addSpanProcessor(queue)
            .build()) {
      dropping.get("test").spanBuilder(name).startSpan().end();
    }
  }

  public File ownFile() {
    return directory.resolve("traces/host-1.jsonl").toFile();
  }

  public List<String> namesIn(File file) throws IOException {
    List<String> names = new ArrayList<>();
    if (file.exists()) {
      new TracesReader().read(file.toPath(), span -> names.add(span.name()));
    }
    return names;
  }

  public List<Span> spans() throws IOException {
    List<Span> spans = new ArrayList<>();
    new TracesReader().read(directory, spans::add);
    return spans;
  }

  public List<String> linesOf(File file) throws IOException {
    return Files.readAllLines(file.toPath());
  }

  public static long inSeconds(int seconds) {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
  }

  @Override
  public void close() {
    queue.close(inSeconds(10), true);
    rendezvous.close();
  }
}
