package io.rollotel.traces.cli;

import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.RequestReader;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.UnreadableLine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * What {@code merge} and {@code replay} read: the requests of many files with each span once, those
 * that dead processes have left, and calls whose ends are traces of their own as one.
 */
final class EachSpan {

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Files or directories")
  private List<Path> files = List.of();

  @Option(
      names = "--no-join",
      description = "Leave both ends of a call that could not take its trace along as they are")
  private boolean isAsItIs;

  private long duplicates;
  private long tornLines;
  private long recovered;

  // Made by picocli.
  EachSpan() {}

  /** Reads all of it, and the files twice, unless they are to stay as they are. */
  void read(RequestReader.Sink sink, PrintWriter err) throws IOException {
    RequestReader reader = new RequestReader(joins(err), line -> err.println(left(line)));
    for (Path file : files) {
      ReadSummary summary = reader.read(file, sink);
      duplicates += summary.duplicates();
      tornLines += summary.tornLines();
    }
    for (Path file : files) {
      recovered += reader.readRecovered(file, sink);
    }
  }

  private CallJoins joins(PrintWriter err) throws IOException {
    if (isAsItIs) {
      return CallJoins.NONE;
    }
    TracesReader reader = new TracesReader(CallJoins.ATTRIBUTES, new Reading(err));
    for (Path file : files) {
      reader.read(file, span -> {});
    }
    return reader.joins();
  }

  private static String left(UnreadableLine line) {
    return "left out: " + line.file() + ":" + line.lineNumber() + ": " + line.reason();
  }

  /** What was not passed on, and what was found beside the files. */
  @Override
  public String toString() {
    return "left out: "
        + duplicates
        + " duplicates, "
        + tornLines
        + " lines cut off"
        + (recovered == 0 ? "" : "; recovered: " + recovered + " spans");
  }
}
