package io.rollotel.traces.cli;

import io.rollotel.traces.file.Count;
import io.rollotel.traces.file.ForeignFiles;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.RequestReader;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.otlp.UnreadableLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/**
 * The input of {@code merge} and {@code replay}: the requests of many files, each span once. They
 * include spans that dead processes left in recorder files, and both ends of a call are in one
 * trace.
 */
final class MergedInput {

  /** What commands say of the files that they read. */
  static final String FILES = "Files, or directories with *.jsonl, *.jsonl.gz and *.parquet";

  @Parameters(arity = "1..*", paramLabel = "FILE", description = FILES)
  private List<Path> files = List.of();

  @Option(
      names = "--no-join",
      description = "Does not join the two ends of a call that could not carry its trace")
  private boolean isAsItIs;

  private final ForeignFiles foreign = new ForeignFiles();

  private long duplicates;
  private long tornLines;
  private long unreadable;
  private long unreadableFiles;
  private long recovered;

  /** What the first reading found; 0 if there was none. */
  private long spans;

  private long firstSkipped;

  /** Whether any input had a file to read, or a span to recover. */
  private boolean hasAny;

  private long passedOn;
  private long skipped;

  // Made by picocli.
  MergedInput() {}

  /**
   * Checks that all inputs exist and can be read as often as needed, before any of them is
   * processed.
   *
   * @throws NoSuchFileException if an input does not exist
   * @throws ParameterException if it can be read only once
   */
  void check(CommandLine command) throws NoSuchFileException {
    for (Path file : files) {
      if (!Files.exists(file)) {
        throw new NoSuchFileException(file.toString());
      }
      if (!isAsItIs) {
        PipeInput.refuse(command, file, command.getCommandName(), ", or use --no-join");
      }
    }
  }

  /**
   * Reads everything; reads the files twice, unless they are kept unchanged.
   *
   * @param unit what happens to the spans, which is shown to the user
   * @throws IOException also if the second reading finds fewer spans than the first
   */
  void read(RequestReader.Sink sink, Main main, Progress.Unit unit) throws IOException {
    CallJoins joins = joins(main);
    Progress progress = main.progress(unit);
    Consumer<UnreadableLine> named =
        line -> {
          progress.hide();
          main.errors().println(left(line));
        };
    RequestReader reader =
        new RequestReader(joins, line -> Optional.ofNullable(foreign.judged(line)).ifPresent(named))
            .toldOfTornLines(
                line ->
                    Optional.ofNullable(foreign.judged(line))
                        .filter(judged -> !judged.equals(line)) // others are only counted
                        .ifPresent(named));
    RequestReader.Sink counting =
        (signal, request, records) -> {
          sink.accept(signal, request, records);
          if (signal == Signal.TRACES) {
            passedOn += records;
            progress.reached(passedOn, spans);
          }
        };
    List<Path> withoutFiles = new ArrayList<>();
    try {
      for (Path file : files) {
        ReadSummary summary = reader.read(file, counting);
        if (summary.isOfNothing()) {
          withoutFiles.add(file);
        }
        duplicates += summary.duplicates();
        tornLines += summary.tornLines();
        unreadable += summary.unreadableLines();
        skipped += skipped(summary);
      }
      for (Path file : files) {
        long found = reader.readRecovered(file, counting);
        recovered += found;
        if (found == 0 && withoutFiles.contains(file)) {
          progress.hide();
          main.errors().println(file + ": " + ReadSummary.NO_FILE);
        } else {
          hasAny = true;
        }
      }
    } finally {
      progress.end();
    }
    unreadableFiles = reader.unreadableFiles();
    if (passedOn < spans && skipped <= firstSkipped) {
      throw new IOException(
          "The input changed while it was read: it had "
              + Count.text(spans, "span")
              + " at first, and "
              + passedOn
              + " later. Try again.");
    }
  }

  private static long skipped(ReadSummary summary) {
    return summary.tornLines() + summary.unreadableLines();
  }

  private CallJoins joins(Main main) throws IOException {
    if (isAsItIs) {
      return CallJoins.NONE;
    }
    Progress progress = main.progress(Progress.Unit.READ);
    TracesReader reader = TracesReader.ofSeveralThreads(CallJoins.ATTRIBUTES, progress);
    try {
      for (Path file : files) {
        ReadSummary summary = reader.read(file, span -> {});
        spans += summary.spans();
        firstSkipped += skipped(summary);
      }
    } finally {
      progress.end();
    }
    return reader.joins();
  }

  /** Whether a file could not be read to its end, so that its other spans are missing. */
  boolean hasUnreadableFiles() {
    return unreadableFiles != 0;
  }

  /** Whether no input had anything to read, which was reported. */
  boolean isOfNothing() {
    return !hasAny;
  }

  /** The message about a skipped line. */
  static String left(UnreadableLine line) {
    return "left out: " + located(line);
  }

  /** The reason, behind the file's path and the line's number, if there is one. */
  static String located(UnreadableLine line) {
    return line.file()
        + (line.lineNumber() == 0 ? "" : ":" + line.lineNumber())
        + ": "
        + line.reason();
  }

  /** Reports the lines that were skipped, and other findings beside the files. */
  @Override
  public String toString() {
    return "left out: "
        + Count.text(duplicates, "duplicate")
        + ", "
        + Count.text(tornLines, "truncated line")
        + (unreadable == 0 ? "" : ", " + unreadable + " unreadable")
        + (recovered == 0 ? "" : "; recovered: " + Count.text(recovered, "span"));
  }
}
