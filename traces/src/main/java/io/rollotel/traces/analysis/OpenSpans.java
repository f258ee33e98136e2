package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Resource;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.CallNames;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** The spans that have not ended, by process, from recorder files. */
public final class OpenSpans implements Serializable {

  /** An open span, and how long it had been open at its process's last sign of life. */
  public record Row(Recording recording, TracedProcess process, OpenSpan span, long ageNanos) {

    /** Its label in a report. */
    public String name() {
      return CallNames.called(span.name());
    }
  }

  /** No open spans. */
  public static final OpenSpans NONE = new OpenSpans(List.of());

  private transient List<Recording> recordings; // with paths, which have no serial form

  /** The processes in the order of a report, each with its open spans. */
  public OpenSpans(List<Recording> recordings) {
    this.recordings =
        recordings.stream()
            .sorted(
                Comparator.comparing(OpenSpans::process, TracedProcess.ORDER)
                    .thenComparing(Recording::file))
            .toList();
  }

  private void writeObject(ObjectOutputStream out) throws IOException {
    out.writeInt(recordings.size());
    for (Recording recording : recordings) {
      out.writeUTF(recording.file().toString());
      out.writeObject(recording.resource());
      out.writeLong(recording.pid());
      out.writeBoolean(recording.isAlive());
      out.writeBoolean(recording.hasExited());
      out.writeLong(recording.openedEpochNanos());
      out.writeLong(recording.lastSignEpochNanos());
      out.writeObject(new ArrayList<>(recording.open()));
      out.writeLong(recording.unrecordedSpans());
      out.writeLong(recording.overwrittenSpans());
      out.writeLong(recording.tornSpans());
      out.writeLong(recording.droppedSpans());
    }
  }

  @SuppressWarnings("unchecked") // as it was written
  private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
    recordings = new ArrayList<>();
    for (int i = in.readInt(); i > 0; i--) {
      recordings.add(
          new Recording(
              Path.of(in.readUTF()),
              (Resource) in.readObject(),
              in.readLong(),
              in.readBoolean(),
              in.readBoolean(),
              in.readLong(),
              in.readLong(),
              (List<OpenSpan>) in.readObject(),
              List.of(), // not asked here for spans that have ended
              in.readLong(),
              in.readLong(),
              in.readLong(),
              in.readLong()));
    }
  }

  /** The same, as parts of their senders' traces if no context could be sent. */
  public OpenSpans joined(CallJoins joins) {
    return new OpenSpans(
        recordings.stream()
            .map(
                recording ->
                    recording.withOpen(
                        recording.open().stream().map(span -> joined(span, joins)).toList()))
            .toList());
  }

  private static OpenSpan joined(OpenSpan span, CallJoins joins) {
    String traceId = joins.traceId(span.traceId());
    if (traceId.equals(span.traceId())) {
      return span;
    }
    boolean isRoot = span.parentSpanId().isEmpty();
    return new OpenSpan(
        traceId,
        span.spanId(),
        isRoot ? joins.parentSpanId(span.traceId()) : span.parentSpanId(),
        span.name(),
        span.startEpochNanos(),
        span.threadId());
  }

  /** The open spans of one run, by all its ids. */
  public OpenSpans ofRuns(Set<String> runIds) {
    return where(runIds::contains);
  }

  /** The open spans of all other runs. */
  public OpenSpans notOfRuns(Set<String> runIds) {
    return where(runId -> !runIds.contains(runId));
  }

  private OpenSpans where(Predicate<String> hasRunId) {
    return new OpenSpans(
        recordings.stream()
            .filter(one -> hasRunId.test(Spans.orNoRun(one.resource().text("roll.run_id"))))
            .toList());
  }

  /** The open spans of a process, the last started first: innermost first. */
  public List<Recording> processes() {
    return recordings;
  }

  /** The open spans, process by process. */
  public List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (Recording recording : recordings) {
      TracedProcess process = process(recording);
      for (OpenSpan span : recording.open()) {
        rows.add(new Row(recording, process, span, recording.ageNanos(span)));
      }
    }
    return rows;
  }

  /** All of them as spans that end when they start. */
  public List<Span> asSpans() {
    return rows().stream()
        .map(
            row ->
                new Span(
                    row.span.traceId(),
                    row.span.spanId(),
                    row.span.parentSpanId(),
                    row.span.name(),
                    0,
                    row.span.startEpochNanos(),
                    row.span.startEpochNanos(),
                    Map.of(),
                    0,
                    row.recording.resource(),
                    "",
                    ""))
        .toList();
  }

  public boolean isEmpty() {
    return recordings.stream().allMatch(recording -> recording.open().isEmpty());
  }

  /** Spans that found no room in a recorder. */
  public long unrecorded() {
    return recordings.stream().mapToLong(Recording::unrecordedSpans).sum();
  }

  /** Ended spans that were lost before they were exported, since a recorder needed their room. */
  public long overwritten() {
    return recordings.stream().mapToLong(Recording::overwrittenSpans).sum();
  }

  /** Ended spans that their processes dropped. */
  public long dropped() {
    return recordings.stream().mapToLong(Recording::droppedSpans).sum();
  }

  /** The processes that dropped spans, the one that dropped most first. */
  public List<Recording> dropping() {
    return recordings.stream()
        .filter(recording -> recording.droppedSpans() != 0)
        .sorted(Comparator.comparingLong(Recording::droppedSpans).reversed())
        .toList();
  }

  /** The process that a recording is of. */
  public static TracedProcess process(Recording recording) {
    return new TracedProcess(TracedProcess.key(recording.resource()), recording.resource());
  }
}
