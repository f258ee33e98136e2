package io.rollotel.agent.export;

import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.file.RunBytes;
import io.rollotel.traces.file.TracesWriter;
import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.otlp.WireBuffer;
import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The process's own file of spans, made with the first that goes there. Any thread. */
final class OwnSpanFile {

  private final File file;
  private final Supplier<RunBytes> runBytes;
  private final Object lock = new Object();

  // Guarded by lock.
  private @Nullable TracesWriter writer;

  /** Whether spans may wait for whoever took some before. */
  private volatile boolean waits;

  private volatile boolean off;

  private volatile boolean isMade;

  private final LongAdder kept = new LongAdder();

  /**
   * A file that is made when it is needed.
   *
   * @param runBytes what all files of the run may take
   */
  OwnSpanFile(File file, Supplier<RunBytes> runBytes) {
    this.file = file;
    this.runBytes = runBytes;
  }

  /** Whether anything was to be written into it. */
  boolean isMade() {
    return isMade;
  }

  /** How many spans went there since this was asked. */
  long keptSince() {
    return kept.sumThenReset();
  }

  /** Whether the file takes no spans and nobody else ever did: from then on all are lost. */
  boolean isOff() {
    return off;
  }

  /** An exporter has taken spans: where the file fails, spans wait for that exporter. */
  void mayWait() {
    waits = true;
  }

  /**
   * Appends a batch. Returns its spans as kept; as held if the file cannot be written now (a full
   * disk, say) and an exporter may still take them; otherwise as lost, and so where the run has
   * written all that it may.
   */
  Outcome append(List<SpanData> batch) {
    if (off) {
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
          writer =
              TracesWriter.open(
                  file,
                  Signal.TRACES,
                  FileRules.DEFAULT.within(runBytes.get()),
                  AgentLog::warnOnce);
        }
        writer.write(request, 0, request.length);
      }
      kept.add(batch.size());
      return Outcome.kept(batch);
    } catch (RunBytes.SpentException e) {
      return spent(batch, String.valueOf(e.getMessage()));
    } catch (MalformedRequestException | RuntimeException e) {
      if (batch.size() > 1) {
        return appendHalves(batch);
      }
      AgentLog.warnOnce("a span that no file takes is lost: " + e.getMessage());
      return Outcome.lost(batch);
    } catch (IOException | LinkageError e) {
      return unwritten(batch, e); // a class that was first used in a full heap is lost to the JVM
    }
  }

  private Outcome unwritten(List<SpanData> batch, Throwable failure) {
    if (waits) {
      AgentLog.warnOnce(
          "spans can neither be delivered nor kept in " + file + ", they wait: " + failure);
      return Outcome.held(batch);
    }
    if (failure instanceof IOException) {
      off = true;
      AgentLog.warn(
          "tracing is off: spans can neither be delivered nor kept in "
              + file
              + " ("
              + failure
              + ")");
    } else {
      AgentLog.warnOnce("spans cannot be kept in " + file + ": " + failure);
    }
    return Outcome.lost(batch);
  }

  /** Nothing that is written is deleted for what comes later. */
  private static Outcome spent(List<SpanData> batch, String why) {
    AgentLog.warnOnce(why + ": spans are not written any more, and counted as dropped");
    return Outcome.lost(batch);
  }

  /** For exporters of the application's that are given one to send through. */
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
      if (writer != null) {
        try {
          writer.close();
        } catch (IOException e) {
          AgentLog.warn("the own file was not closed cleanly: " + e);
        }
        writer = null;
      }
    }
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
