package io.rollotel.traces.file;

import io.rollotel.traces.otlp.UnreadableLine;
import java.nio.file.Path;
import java.util.List;

/**
 * What a read has met.
 *
 * @param files the files read, sorted
 * @param spans spans passed on
 * @param duplicates spans left out since their like was read before: delivery is at least once
 * @param tornLines lines that are cut off, as a killed process leaves its last one
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
