package io.rollotel.traces.file;

import io.rollotel.traces.otlp.UnreadableLine;
import java.nio.file.Path;
import java.util.List;

/**
 * The result of a read.
 *
 * @param files the files read, sorted
 * @param spans spans passed on
 * @param duplicates skipped spans that had been read before, because delivery is at least once
 * @param tornLines truncated lines, such as the last one of a killed process
 * @param unreadableLines other lines skipped, and files that could not be read to the end
 * @param firstUnreadable the first 20 of these
 */
public record ReadSummary(
    List<Path> files,
    long spans,
    long duplicates,
    long tornLines,
    long unreadableLines,
    List<UnreadableLine> firstUnreadable) {}
