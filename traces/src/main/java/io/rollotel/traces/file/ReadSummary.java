package io.rollotel.traces.file;

import io.rollotel.traces.otlp.UnreadableLine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of a read.
 *
 * @param files the files read, sorted
 * @param spans spans passed on
 * @param duplicates skipped spans that had been read before, because delivery is at least once
 * @param tornLines truncated lines, such as the last one of a killed process
 * @param unreadableLines other lines skipped, and files that could not be read to the end
 * @param firstUnreadable the first 20 of these, and the first of each of some more files
 */
public record ReadSummary(
    List<Path> files,
    long spans,
    long duplicates,
    long tornLines,
    long unreadableLines,
    List<UnreadableLine> firstUnreadable) {

  /** What to say of a directory without files. */
  public static final String NO_FILE =
      "There is no file *.jsonl, *.jsonl.gz or *.parquet in it or below.";

  /** Whether there was no file to read. */
  public boolean isOfNothing() {
    return files.isEmpty() && unreadableLines == 0;
  }

  /** The sum with the result of a later read. */
  public ReadSummary plus(ReadSummary later) {
    List<Path> allFiles = new ArrayList<>(files);
    allFiles.addAll(later.files);
    List<UnreadableLine> unreadable = new ArrayList<>(firstUnreadable);
    unreadable.addAll(later.firstUnreadable);
    return new ReadSummary(
        allFiles,
        spans + later.spans,
        duplicates + later.duplicates,
        tornLines + later.tornLines,
        unreadableLines + later.unreadableLines,
        unreadable);
  }
}
