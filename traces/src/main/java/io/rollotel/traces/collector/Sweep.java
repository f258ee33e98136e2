package io.rollotel.traces.collector;

import io.rollotel.traces.file.Count;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.recording.RecordingCleanup;
import io.rollotel.traces.recording.Recordings;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Moves the spans that dead processes left in their recorder files to the traces: ended ones become
 * lines there; open ones, and the number of dropped ones, stay in the recorder file, which is
 * renamed and shrunk to them. A process that dies on the way leaves duplicates, which readers join.
 */
final class Sweep {

  /** How many spans a request has at most: a collector limits its bytes. */
  private static final int MOST_OF_A_REQUEST = 500;

  /** Appends export requests to the traces. */
  interface Appender {
    void append(byte[] request) throws IOException;
  }

  private final Path outputDir;
  private final Function<String, File> ownFiles;
  private final Appender appender;
  private final Consumer<String> info;

  /**
   * A sweep of a directory.
   *
   * @param ownFiles supplies the own file of a process with a given name
   * @param info receives a line for each process
   */
  Sweep(Path outputDir, Function<String, File> ownFiles, Appender appender, Consumer<String> info) {
    this.outputDir = outputDir;
    this.ownFiles = ownFiles;
    this.appender = appender;
    this.info = info;
  }

  void run() throws IOException {
    run(recording -> true);
  }

  /** The same for some processes only. */
  void run(Predicate<Recording> which) throws IOException {
    IOException failure = null;
    for (Recording recording : Recordings.read(outputDir).all()) {
      if (!recording.isAlive() && !recording.isSwept() && which.test(recording)) {
        try {
          sweep(recording);
        } catch (IOException e) { // the others may succeed
          failure = failure == null ? e : failure;
        }
      }
    }
    RecordingCleanup.tidy(outputDir.resolve(Recordings.FOLDER).toFile());
    if (failure != null) {
      throw failure;
    }
  }

  private void sweep(Recording recording) throws IOException {
    String instance = recording.resource().text("service.instance.id");
    Path file = recording.file();
    String stem = stemOf(file);
    List<Span> ended = withoutKept(recording.ended(), ownFiles.apply(stem));
    if (!stem.equals(instance)) {
      // If two processes have the same ROLL_OTEL_INSTANCE, the second's recorder file has a number.
      ended = withoutKept(ended, ownFiles.apply(instance));
    }
    for (int from = 0; from < ended.size(); from += MOST_OF_A_REQUEST) {
      int to = Math.min(ended.size(), from + MOST_OF_A_REQUEST);
      appender.append(recording.withEnded(ended.subList(from, to)).request());
    }
    if (!recording.isWorthKeeping()) {
      Files.deleteIfExists(file);
    } else {
      // First, so that the dead file never has ended spans.
      Recordings.compact(file);
      Path swept = file.resolveSibling(stem + Recordings.SWEPT);
      for (int i = 2; Files.exists(swept); i++) {
        swept = file.resolveSibling(stem + "-" + i + Recordings.SWEPT);
      }
      Files.move(file, swept, StandardCopyOption.ATOMIC_MOVE);
    }
    info.accept(
        instance
            + (recording.hasExited() ? " has ended: " : " has died: ")
            + Count.text(ended.size(), "span")
            + " recovered, "
            + recording.open().size()
            + (recording.open().size() == 1 ? " was open" : " were open"));
  }

  private static String stemOf(Path file) {
    String name = file.getFileName().toString();
    return name.substring(0, name.length() - Recordings.LIVE.length());
  }

  /** It may have died after writing its own file and before noting that. */
  private static List<Span> withoutKept(List<Span> ended, File ownFile) throws IOException {
    if (ended.isEmpty() || !ownFile.isFile()) {
      return ended;
    }
    TracesReader kept = new TracesReader();
    kept.read(ownFile.toPath(), span -> {});
    List<Span> others = new ArrayList<>(ended);
    others.removeIf(span -> kept.hasRead(span.traceId(), span.spanId()));
    return others;
  }
}
