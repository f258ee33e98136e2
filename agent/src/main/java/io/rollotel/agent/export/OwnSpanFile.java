package io.rollotel.agent.export;

import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.file.RunBytes;
import io.rollotel.traces.file.TracesWriter;
import io.rollotel.traces.file.WaitingFiles;
import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.otlp.WireBuffer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The process's own file of spans, created with the first span. Any thread. */
final class OwnSpanFile {

  /** The pause after a failure while nothing else takes spans. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final File file;
  private final Supplier<RunBytes> runBytes;
  private final boolean isReplayed;
  private final Supplier<List<String>> endpoints;
  private final Object lock = new Object();

  // Guarded by lock.
  private @Nullable TracesWriter writer;

  private boolean isBegun;
  private boolean isToBeSent;

  /** Whether spans may wait for an endpoint. */
  private volatile boolean waits;

  private volatile boolean off;
  private volatile long offUntilNanos;

  private volatile boolean isMade;

  private final LongAdder kept = new LongAdder();

  /**
   * A file that is made when it is needed.
   *
   * @param runBytes what all files of the run may take
   * @param isReplayed whether it is set aside periodically, to be sent
   * @param endpoints the endpoints that its spans wait for; none if the file is their destination
   */
  OwnSpanFile(
      File file,
      Supplier<RunBytes> runBytes,
      boolean isReplayed,
      Supplier<List<String>> endpoints) {
    this.file = file;
    this.runBytes = runBytes;
    this.isReplayed = isReplayed;
    this.endpoints = endpoints;
  }

  /** This file and those of other processes, to be sent. */
  WaitingFiles waiting() {
    return new WaitingFiles(file, endpoints.get());
  }

  /** Sets the file's spans aside for sending; null if there are none. */
  @Nullable Path setAside() throws IOException {
    synchronized (lock) {
      if (!isToBeSent) {
        return null;
      }
      closeWriter();
      return WaitingFiles.setAside(file);
    }
  }

  /** The current location of the spans that this process has written, for messages. */
  List<String> places() {
    List<String> places = new ArrayList<>();
    WaitingFiles.ofThisProcess(file).forEach(path -> places.add(path.toString()));
    return places.isEmpty() ? List.of(file.toString()) : places;
  }

  /** Whether it was used. */
  boolean isMade() {
    return isMade;
  }

  /** Whether spans were written since the last call of {@link #keptSince}. */
  boolean hasKept() {
    return kept.sum() > 0;
  }

  /** How many spans were written since the last call of this method. */
  long keptSince() {
    return kept.sumThenReset();
  }

  /**
   * Whether spans are lost at once, since the file takes none and there is no endpoint. Ends after
   * half a minute, when the file is tried again.
   */
  boolean isOff() {
    return off && System.nanoTime() - offUntilNanos < 0;
  }

  /** There is an endpoint that takes spans, or may: if the file fails, spans wait for it. */
  void mayWait() {
    waits = true;
  }

  /**
   * Appends a batch. Returns its spans as kept; as held if the file cannot be written now (a full
   * disk, say) and an exporter may still take them; otherwise as lost, also if the run has used up
   * its limit.
   */
  Outcome append(List<SpanData> batch) {
    if (isOff()) {
      return Outcome.lost(batch);
    }
    isMade = true;
    RunBytes ofRun = runBytes.get();
    if (ofRun.isSpent()) {
      return spent(batch, ofRun.toString());
    }
    byte[] request;
    try {
      request = new TraceRequestEncoder().of(batch);
    } catch (RuntimeException | LinkageError e) {
      if (batch.size() > 1) {
        return appendHalves(batch); // one bad span costs no other
      }
      AgentLog.warnOnce("a span that cannot be encoded is lost: " + e);
      return Outcome.lost(batch);
    }
    if (request.length > WireBuffer.MAX_REQUEST_BYTES && batch.size() > 1) {
      return appendHalves(batch);
    }
    return write(batch, request);
  }

  private Outcome write(List<SpanData> batch, byte[] request) {
    try {
      synchronized (lock) {
        if (writer == null) {
          begin();
          writer =
              TracesWriter.open(
                  file,
                  Signal.TRACES,
                  FileRules.DEFAULT.within(runBytes.get()),
                  isReplayed ? null : AgentLog::warnOnce); // another part of this process may do it
        }
        writer.write(request, 0, request.length);
      }
      kept.add(batch.size());
      if (off) {
        off = false;
        AgentLog.warn("tracing is on again: spans can be written to " + file);
      }
      return Outcome.kept(batch);
    } catch (RunBytes.SpentException e) {
      return spent(batch, String.valueOf(e.getMessage()));
    } catch (MalformedRequestException | RuntimeException e) {
      if (batch.size() > 1) {
        return appendHalves(batch);
      }
      AgentLog.warnOnce("a span that cannot be written to a file is lost: " + e.getMessage());
      return Outcome.lost(batch);
    } catch (IOException | LinkageError e) {
      return unwritten(batch, e); // a class that was first used in a full heap is lost to the JVM
    }
  }

  /**
   * Writes a note beside the file if it waits for an endpoint. Without the note, no process sends
   * it.
   */
  private void begin() {
    if (isBegun) {
      return;
    }
    isBegun = true;
    List<String> all = endpoints.get();
    if (all.isEmpty()) {
      return;
    }
    try {
      WaitingFiles.begin(file, all);
      isToBeSent = true;
    } catch (IOException | RuntimeException | LinkageError e) {
      AgentLog.info(
          "ROLL_OTEL_REPLAY does not send " + file + " by itself: " + Undelivered.reason(e));
    }
  }

  private Outcome unwritten(List<SpanData> batch, Throwable failure) {
    if (waits) {
      AgentLog.warnOnce(
          "spans can neither be delivered nor kept in "
              + file
              + "; they wait in memory: "
              + failure);
      return Outcome.held(batch);
    }
    if (failure instanceof IOException) {
      offUntilNanos = System.nanoTime() + RETRY_NANOS;
      if (!off) {
        AgentLog.warn("tracing is off until spans can be kept in " + file + ": " + failure);
      }
      off = true;
    } else {
      AgentLog.warnOnce("spans cannot be kept in " + file + ": " + failure);
    }
    return Outcome.lost(batch);
  }

  /** Written spans are never deleted in favour of later ones. */
  private static Outcome spent(List<SpanData> batch, String why) {
    AgentLog.warnOnce(why + ": no more spans are written; they are counted as dropped");
    return Outcome.lost(batch);
  }

  /** For the application's exporters that receive an exporter to delegate to. */
  SpanExporter asExporter() {
    return new OwnFileSpanExporter(
        spans -> {
          Outcome written = append(spans);
          // A span that cannot be encoded is lost; a failure would have the others written again.
          return written.held().isEmpty() && !written.kept().isEmpty();
        });
  }

  private Outcome appendHalves(List<SpanData> batch) {
    int half = batch.size() / 2;
    return append(batch.subList(0, half)).and(append(batch.subList(half, batch.size())));
  }

  /** Closes the file; another batch opens it again. */
  void close() {
    synchronized (lock) {
      closeWriter();
      isBegun = false;
      if (isToBeSent) {
        isToBeSent = false;
        try {
          WaitingFiles.end(file);
        } catch (IOException e) {
          AgentLog.debug("the note beside the own file was not closed cleanly: " + e);
        }
      }
    }
  }

  private void closeWriter() {
    if (writer != null) {
      try {
        writer.close();
      } catch (IOException e) {
        AgentLog.warn("the own file was not closed cleanly: " + e);
      }
      writer = null;
    }
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
