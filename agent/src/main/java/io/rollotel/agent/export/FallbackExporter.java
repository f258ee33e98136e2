package io.rollotel.agent.export;

import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.settings.Role;
import io.rollotel.agent.settings.Settings;
import io.rollotel.traces.collector.Rendezvous;
import io.rollotel.traces.file.RunBytes;
import io.rollotel.traces.otlp.PartialSuccess;
import io.rollotel.traces.otlp.Signal;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Delivers batches: to the endpoint that the user named or to the run's collector, and to the
 * process's own file while neither accepts them.
 *
 * <p>{@link #deliver}, {@link #isReady} and {@link #isResting} belong to the export thread; the
 * rest to any.
 */
public final class FallbackExporter {

  /** A new process may be faster than the driver's collector. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /**
   * The pause after a failure. Meanwhile spans go to the own file directly: there they outlive the
   * process, unlike in memory.
   */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The longest wait for an answer, all attempts together, whatever the user's time-out is. */
  static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(30);

  /**
   * After this time without a span, the exporters and their connections are closed until the next
   * one. A connection that the JDK's client keeps for https holds the classes of its first request,
   * and so those of an application that has been dropped.
   */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Rendezvous rendezvous;
  private final Ledger ledger;
  private final OwnSpanFile ownFile;
  private final SpokenProtocols protocols = new SpokenProtocols();
  private final Undelivered undelivered;
  private final BoundedCalls calls = new BoundedCalls();
  private final ExportChoice choice;

  /** Whether another process should collect, so that the user does not expect own files. */
  private volatile boolean isOfAnother;

  private final long bornNanos = System.nanoTime();

  private List<SpanExporter> exporters = List.of();
  private boolean built;
  private boolean resting;
  private long usedNanos;
  private volatile boolean failing;
  private volatile long retryAtNanos;

  private volatile @Nullable Replay replay;

  private volatile boolean leaving;

  /**
   * For one process.
   *
   * @param process the process that the own file is named after
   */
  public FallbackExporter(Settings settings, Rendezvous rendezvous, String process, Ledger ledger) {
    this.rendezvous = rendezvous;
    this.ledger = ledger;
    choice = new ExportChoice(settings);
    ownFile =
        new OwnSpanFile(
            rendezvous.ownFile(process), rendezvous::runBytes, settings.replay(), choice);
    undelivered = new Undelivered(ownFile);
    isOfAnother = settings.role() == Role.WORKER && !"none".equals(settings.collector("COLLECTOR"));
  }

  /** The names in {@code OTEL_TRACES_EXPORTER}; none means otlp. */
  public void setExporters(List<String> names) {
    choice.setExporters(names);
    if (isNone()) {
      ledger.destination("nobody (OTEL_TRACES_EXPORTER=none)");
    }
  }

  /** Takes the SDK's settings, and how the application's code changes exporters, if it does. */
  public void configure(ConfigProperties config, @Nullable UnaryOperator<SpanExporter> users) {
    choice.configure(config, users);
    if (choice.isFile()) {
      ledger.destination(ownFile.toString());
    }
  }

  /** What is known of this process's endpoints. */
  public SpokenProtocols protocols() {
    return protocols;
  }

  /** Whether spans are lost at once, since for now they cannot be kept even in the own file. */
  boolean isOff() {
    return ownFile.isOff();
  }

  /**
   * Whether {@link #deliver} has a destination; builds exporters and collector on first use.
   *
   * @param urgent whether waiting longer would lose spans
   * @param meanwhile runs periodically, and when the thread is woken, while the collector starts
   */
  boolean isReady(boolean urgent, Runnable meanwhile) {
    build(meanwhile);
    return !exporters.isEmpty()
        || isNone()
        || choice.isFile()
        || urgent
        || ownFile.isMade() // with earlier spans, so later ones need not wait
        || System.nanoTime() - bornNanos > PATIENCE_NANOS;
  }

  /** For use while no span waits: whether nothing needs preparation until one does. */
  boolean isResting() {
    return isResting(System.nanoTime());
  }

  boolean isResting(long nowNanos) {
    // The application's own exporter may be a single object, which cannot be reopened.
    if (built && nowNanos - usedNanos > IDLE_NANOS && !choice.isCustomized()) {
      closeExporters();
      resting = true;
    }
    return resting;
  }

  /** Whether there are exporters that {@link #isResting} will close. */
  boolean mayBeConnected() {
    return !choice.isCustomized() && !exporters.isEmpty();
  }

  /**
   * Sends a batch, or keeps it in the own file. The caller counts the outcome, and tries again with
   * spans that are held.
   *
   * @param meanwhile runs periodically, and when the thread is woken, while it waits for the answer
   */
  Outcome deliver(List<SpanData> batch, Runnable meanwhile) {
    if (isNone()) {
      return Outcome.delivered(batch); // the user wants no spans; they are not counted
    }
    if (choice.isFile() && !choice.isCustomized()) {
      Outcome written = ownFile.append(batch);
      return new Outcome(written.kept(), List.of(), written.held(), written.lost());
    }
    if (isWrittenHere() && rendezvous.runBytes().isSpent()) {
      return toOwnFile(batch); // it reports that; a collector without a limit is not asked
    }
    if (failing && System.nanoTime() - retryAtNanos < 0) {
      return toOwnFile(batch);
    }
    build(meanwhile);
    usedNanos = System.nanoTime();
    boolean delivered = !exporters.isEmpty();
    for (SpanExporter exporter : exporters) {
      delivered &= export(exporter, batch, meanwhile);
    }
    if (delivered) {
      if (failing) {
        undelivered.tellAgain(isReplayed());
      }
      failing = false;
      ownFile.mayWait();
      return Outcome.delivered(batch);
    }
    boolean isAsked = !exporters.isEmpty();
    boolean first = !failing && isAsked;
    failing = true;
    retryAtNanos = System.nanoTime() + RETRY_NANOS;
    if (!choice.isEndpoint()) {
      // The collector's process may have ended, and another process may be the driver by now.
      closeExporters();
    }
    // The closing thread has already reported what became of the remaining spans.
    if ((first || (isAsked && choice.isEndpoint()))
        && !leaving
        && !(isWrittenHere() && rendezvous.runBytes().isSpent())) {
      // Without an endpoint, the driver has ended, as drivers do at the end of a run.
      undelivered.tellFirst(choice.isEndpoint() || rendezvous.collector() != null);
    }
    return leaving ? Outcome.held(batch) : toOwnFile(batch);
  }

  /**
   * From now on, a batch that cannot be delivered is left to the closing thread, which has already
   * put it into the own file.
   */
  void leave() {
    leaving = true;
  }

  /** Whether spans are written to the output directory and not sent elsewhere. */
  boolean isWrittenHere() {
    return choice.isWrittenHere();
  }

  /** How much the run may write; null if this process writes none of it. */
  @Nullable RunBytes runBytes() {
    return isWrittenHere() || ownFile.isMade() ? rendezvous.runBytes() : null;
  }

  /** Whether no spans are to be sent. */
  boolean isNone() {
    return choice.isNone();
  }

  /** Appends to the process's own file; the caller counts the outcome. Any thread. */
  Outcome toOwnFile(List<SpanData> batch) {
    return ownFile.append(batch);
  }

  private boolean export(SpanExporter exporter, List<SpanData> batch, Runnable meanwhile) {
    try {
      CompletableResultCode result = calls.onPassingThread(() -> exporter.export(batch), meanwhile);
      BoundedCalls.await(result, ANSWER_NANOS, meanwhile);
      if (!result.isSuccess()) {
        String reason = undelivered.failed(result.getFailureThrowable());
        ledger.trouble(
            undelivered.destination()
                + (reason.isEmpty() ? " refuses or does not answer" : ": " + reason));
      }
      return result.isSuccess();
    } catch (IOException e) {
      undelivered.failed(e);
      ledger.trouble(undelivered.destination() + ": " + e.getMessage());
      AgentLog.debug("export failed: " + e);
      return false;
    }
  }

  /** Whether the user wants spans in own files to be sent, and there is an endpoint. */
  boolean isReplayed() {
    return choice.isReplayed();
  }

  /**
   * Starts to send the spans in own files, if {@link #isReplayed}.
   *
   * @param leavesRoom whether live spans are exported as fast as they end
   */
  void startReplay(BooleanSupplier leavesRoom) {
    ConfigProperties config = choice.config();
    if (!isReplayed() || config == null) {
      return;
    }
    if (choice.isCustomized()) {
      // The customizer may be there to hide data, and replay would bypass it.
      AgentLog.warnOnce(
          "ROLL_OTEL_REPLAY is ignored: the application's code decides what is exported");
      return;
    }
    Replay made =
        new Replay(
            ownFile.waiting(),
            ownFile::setAside,
            () -> OtlpEndpoint.ofUser(config, Signal.TRACES, protocols),
            () -> leavesRoom.getAsBoolean() && isAnswering(),
            ledger);
    replay = made;
    made.start();
  }

  /** As far as live spans show. Without live spans, the replay has to find out by itself. */
  private boolean isAnswering() {
    return !failing || System.nanoTime() - retryAtNanos > IDLE_NANOS;
  }

  /** Stops, so that the last live spans have the endpoint to themselves. Any thread. */
  void stopReplay() {
    Replay running = replay;
    if (running != null) {
      running.stop();
    }
  }

  /**
   * Closes the own file. The exporters belong to the export thread, and closing them may wait for a
   * request in flight: {@link #closeExporters}. At exit their threads, daemons, end with the JVM.
   */
  void close() {
    if (!choice.isFile()) {
      Replay stopped = replay;
      long doneSpans = stopped == null ? 0 : stopped.ownSpans();
      undelivered.tellAtEnd(
          ownFile.keptSince() - doneSpans,
          choice.isEndpoint(),
          isOfAnother && !choice.isOtherExporter(),
          stopped != null);
    }
    ownFile.close();
  }

  /** Reports now what {@link #close} may never be able to report. Any thread. */
  void sayIfNobodyCollects() {
    if (!choice.isFile()
        && isOfAnother
        && ownFile.isMade()
        && undelivered.destination().isEmpty()) {
      undelivered.tellNobody();
    }
  }

  /** Ends the exporters' threads. For the export thread. */
  void closeExporters() {
    exporters.forEach(SpanExporter::shutdown);
    exporters = List.of();
    built = false;
  }

  private void build(Runnable meanwhile) {
    if (built) {
      return;
    }
    resting = false;
    usedNanos = System.nanoTime();
    try {
      tryBuild(meanwhile);
    } catch (RuntimeException | LinkageError e) {
      // The application may have closed the loader that the API's classes come from.
      built = true;
      AgentLog.warnOnce("no exporter can be built, spans go to " + ownFile + " (" + e + ")");
    }
  }

  private void tryBuild(Runnable meanwhile) {
    if (choice.isFile()) {
      exporters = customized(List.of(ownFile.asExporter()), ownFile.toString());
      return;
    }
    if (choice.isElsewhere()) {
      ConfigProperties config = choice.config();
      if (config != null) {
        exporters =
            customized(
                choice.exporters(config, protocols, this::rejected), ExportChoice.shown(config));
        ledger.destination(undelivered.destination());
        if (exporters.isEmpty()) {
          undelivered.failed("no exporter could be built");
        } else {
          ownFile.mayWait();
        }
      }
      built = true;
      return;
    }
    Rendezvous.Collector collector = collector(meanwhile);
    if (collector != null) {
      exporters =
          customized(List.of(SpanExporters.ofRun(collector)), collector.endpoint().toString());
      isOfAnother = collector.here() == null;
      ledger.destination(undelivered.destination());
    } else if (choice.isCustomized() && System.nanoTime() - bornNanos > PATIENCE_NANOS) {
      // Without a collector, the application's exporter is still asked.
      exporters = customized(List.of(ownFile.asExporter()), ownFile.toString());
    }
  }

  private void rejected(PartialSuccess partial) {
    ledger.rejected(partial.rejected());
    undelivered.tellRejected(partial);
  }

  /** It may have to be started, which takes seconds on a busy machine. */
  private Rendezvous.@Nullable Collector collector(Runnable meanwhile) {
    try {
      return calls.onPassingThread(rendezvous::collector, meanwhile);
    } catch (IOException e) {
      Throwable cause = e.getCause();
      if (cause instanceof RuntimeException || cause instanceof LinkageError) {
        AgentLog.warnOnce("the run's collector can neither be found nor started: " + cause);
      }
      return null;
    }
  }

  private List<SpanExporter> customized(List<SpanExporter> plain, String to) {
    undelivered.destination(to);
    built = true;
    return choice.customized(plain);
  }
}
