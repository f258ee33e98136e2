package io.rollotel.agent.trace;

import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.exporter.internal.otlp.traces.TraceRequestMarshaler;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.traces.ConfigurableSpanExporterProvider;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.rollotel.agent.Account;
import io.rollotel.agent.AgentLog;
import io.rollotel.agent.Pump;
import io.rollotel.agent.Settings;
import io.rollotel.traces.collector.Rendezvous;
import io.rollotel.traces.file.MalformedRequestException;
import io.rollotel.traces.file.TracesWriter;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Where batches go: to the endpoint that the user named, or to the run's collector, and to the
 * process's own file while neither takes them.
 *
 * <p>{@link #deliver}, {@link #isReady} and {@link #isResting} belong to the export thread; the
 * rest to any.
 */
final class Delivery {

  /** A new process may be faster than the driver's collector. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** After a failure; meanwhile spans go to the own file without asking. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);

  /**
   * Without a span for so long, the exporters are given up until the next: a connection that the
   * JDK's client keeps holds the classes of its first request, and so those of an application that
   * has been dropped.
   */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final RetryPolicy RETRY =
      RetryPolicy.builder()
          .setMaxAttempts(3)
          .setInitialBackoff(Duration.ofMillis(200))
          .setMaxBackoff(Duration.ofSeconds(1))
          .build();

  private final Rendezvous rendezvous;
  private final Account account;
  private final File ownFile;
  private final boolean endpointGiven;
  private final long bornNanos = System.nanoTime();

  private List<String> exporterNames = List.of();
  private @Nullable ConfigProperties config;

  private List<SpanExporter> exporters = List.of();
  private String destination = "";
  private boolean built;
  private boolean resting;
  private long usedNanos;
  private boolean failing;
  private long retryAtNanos;

  private final Object fileLock = new Object();
  private @Nullable TracesWriter ownWriter;
  private volatile boolean off;
  private volatile boolean leaving;

  Delivery(Settings settings, Rendezvous rendezvous, String instance, Account account) {
    this.rendezvous = rendezvous;
    this.account = account;
    ownFile = rendezvous.ownFile(instance);
    endpointGiven =
        settings.otel("otel.exporter.otlp.endpoint") != null
            || settings.otel("otel.exporter.otlp.traces.endpoint") != null;
  }

  /** The names in {@code OTEL_TRACES_EXPORTER}; none means otlp. */
  void setExporters(List<String> names) {
    exporterNames = List.copyOf(names);
    if (isNone()) {
      account.destination("nobody (OTEL_TRACES_EXPORTER=none)");
    }
  }

  void configure(ConfigProperties newConfig) {
    config = newConfig;
  }

  /** Whether nothing can be kept, not even in the own file. */
  boolean isOff() {
    return off;
  }

  /**
   * Whether {@link #deliver} has somewhere to go; builds exporters and collector when first asked.
   *
   * @param urgent whether waiting longer would lose spans
   */
  boolean isReady(boolean urgent) {
    build();
    return !exporters.isEmpty()
        || isNone()
        || urgent
        || System.nanoTime() - bornNanos > PATIENCE_NANOS;
  }

  /** Asked while nothing waits: whether there is nothing to get ready for until something does. */
  boolean isResting() {
    return isResting(System.nanoTime());
  }

  boolean isResting(long nowNanos) {
    if (built && nowNanos - usedNanos > IDLE_NANOS) {
      closeExporters();
      resting = true;
    }
    return resting;
  }

  /** Sends a batch, or keeps it in the own file. */
  void deliver(List<SpanData> batch) {
    if (isNone()) {
      return;
    }
    if (failing && System.nanoTime() - retryAtNanos < 0) {
      toOwnFile(batch);
      return;
    }
    build();
    usedNanos = System.nanoTime();
    boolean delivered = !exporters.isEmpty();
    for (SpanExporter exporter : exporters) {
      delivered &= export(exporter, batch);
    }
    if (delivered) {
      account.exported(batch.size());
      failing = false;
      return;
    }
    boolean first = !failing && !exporters.isEmpty();
    failing = true;
    retryAtNanos = System.nanoTime() + RETRY_NANOS;
    if (!endpointGiven) {
      // Its process may have ended, and another may be the driver by then.
      closeExporters();
    }
    if (first) {
      String line =
          "cannot deliver spans to " + destination + "; until it answers they go to " + ownFile;
      if (endpointGiven || rendezvous.collector() != null) {
        AgentLog.warnOnce(line);
      } else {
        AgentLog.info(line); // the driver has left, as drivers do at the end of a run
      }
    }
    if (!leaving) {
      toOwnFile(batch);
    }
  }

  /**
   * From now on a batch that cannot be delivered is left to whoever closes the queue, who has put
   * it into the own file already.
   */
  void leave() {
    leaving = true;
  }

  /** Whether nobody is to get any span. */
  boolean isNone() {
    return exporterNames.equals(List.of("none"));
  }

  /** Appends to the process's own file. Any thread. */
  void toOwnFile(List<SpanData> batch) {
    if (off) {
      return;
    }
    try {
      byte[] request = marshal(batch);
      if (request.length > TracesWriter.MAX_REQUEST_BYTES && batch.size() > 1) {
        toOwnFile(batch.subList(0, batch.size() / 2));
        toOwnFile(batch.subList(batch.size() / 2, batch.size()));
        return;
      }
      synchronized (fileLock) {
        if (ownWriter == null) {
          ownWriter = TracesWriter.open(ownFile);
        }
        ownWriter.write(request, 0, request.length);
      }
      account.kept(batch.size());
    } catch (MalformedRequestException e) {
      AgentLog.warnOnce("a span that no file takes is lost: " + e.getMessage());
    } catch (IOException e) {
      off = true;
      AgentLog.warn(
          "tracing is off: spans can neither be delivered nor kept in " + ownFile + " (" + e + ")");
    }
  }

  private boolean export(SpanExporter exporter, List<SpanData> batch) {
    try {
      CompletableResultCode result =
          onPassingThread(() -> exporter.export(batch)).join(30, TimeUnit.SECONDS);
      if (!result.isSuccess()) {
        Throwable failure = result.getFailureThrowable();
        account.trouble(
            destination + (failure == null ? " refuses or does not answer" : ": " + failure));
      }
      return result.isSuccess();
    } catch (IOException e) {
      account.trouble(destination + ": " + e.getMessage());
      AgentLog.debug("export failed: " + e);
      return false;
    }
  }

  private static byte[] marshal(List<SpanData> batch) throws IOException {
    return onPassingThread(
        () -> {
          ByteArrayOutputStream request = new ByteArrayOutputStream(batch.size() * 256);
          TraceRequestMarshaler.create(batch).writeBinaryTo(request);
          return request.toByteArray();
        });
  }

  /** Marshalling leaves a thread local behind; an interrupt of the application's has to wait. */
  private static <T> T onPassingThread(Callable<T> work) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      return Pump.passing().submit(work).get();
    } catch (InterruptedException e) {
      interrupted = true;
      throw new IOException(e);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Closes the own file. The exporters belong to the export thread, and closing them may wait for a
   * request in flight: {@link #closeExporters}. At exit their threads, daemons, end with the JVM.
   */
  void close() {
    synchronized (fileLock) {
      if (ownWriter != null) {
        try {
          ownWriter.close();
        } catch (IOException e) {
          AgentLog.warn("the own file was not closed cleanly: " + e);
        }
        ownWriter = null;
      }
    }
  }

  /** Ends the exporters' threads. For the export thread. */
  void closeExporters() {
    exporters.forEach(SpanExporter::shutdown);
    exporters = List.of();
    built = false;
  }

  private void build() {
    if (built) {
      return;
    }
    resting = false;
    usedNanos = System.nanoTime();
    try {
      tryBuild();
    } catch (RuntimeException | LinkageError e) {
      // The application may have closed the loader that the API's classes come from.
      built = true;
      AgentLog.warnOnce("no exporter can be built, spans go to " + ownFile + " (" + e + ")");
    }
  }

  private void tryBuild() {
    if (endpointGiven || !(exporterNames.isEmpty() || exporterNames.equals(List.of("otlp")))) {
      exporters = configured();
      destination =
          config == null ? "" : config.getString("otel.exporter.otlp.endpoint", "the exporters");
      account.destination(destination);
      built = true;
      return;
    }
    Rendezvous.Collector collector = rendezvous.collector();
    if (collector != null) {
      destination = collector.endpoint().toString();
      account.destination(destination);
      exporters =
          List.of(
              OtlpHttpSpanExporter.builder()
                  .setEndpoint(collector.endpoint() + "/v1/traces")
                  .addHeader("Authorization", "Bearer " + collector.token())
                  .setConnectTimeout(Duration.ofSeconds(2))
                  // Its default asks the global in a way that APIs before 1.57 do not know.
                  .setMeterProvider(MeterProvider.noop())
                  .setExecutorService(Pump.passing())
                  // The own file is the better second try.
                  .setRetryPolicy(null)
                  .build());
      built = true;
    }
  }

  /**
   * The exporter as the user set it up, without metrics about itself (see {@link #build}) and with
   * shorter retries: while it waits, the queue fills, and the own file is a good second try.
   */
  private static SpanExporter adapted(SpanExporter exporter, ConfigProperties config) {
    if (!(exporter instanceof OtlpHttpSpanExporter otlp)) {
      return exporter;
    }
    boolean noRetry = config.getBoolean("otel.java.exporter.otlp.retry.disabled", false);
    return otlp.toBuilder()
        .setMeterProvider(MeterProvider.noop())
        .setExecutorService(Pump.passing())
        .setRetryPolicy(noRetry ? null : RETRY)
        .build();
  }

  /** As the user's OTEL_* settings say. */
  private List<SpanExporter> configured() {
    List<SpanExporter> all = new ArrayList<>();
    ConfigProperties known = config;
    if (known == null) {
      return all;
    }
    List<String> wanted = exporterNames.isEmpty() ? List.of("otlp") : exporterNames;
    List<String> unknown = new ArrayList<>(wanted);
    unknown.remove("none");
    for (ConfigurableSpanExporterProvider provider :
        ServiceLoader.load(
            ConfigurableSpanExporterProvider.class, Delivery.class.getClassLoader())) {
      if (wanted.contains(provider.getName())) {
        unknown.remove(provider.getName());
        try {
          all.add(adapted(provider.createExporter(known), known));
        } catch (RuntimeException e) {
          AgentLog.warnOnce("the exporter " + provider.getName() + " cannot be built: " + e);
        }
      }
    }
    if (!unknown.isEmpty()) {
      AgentLog.warnOnce("OTEL_TRACES_EXPORTER: only otlp and none are known, not " + unknown);
    }
    return all;
  }
}
