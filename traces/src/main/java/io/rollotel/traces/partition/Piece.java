package io.rollotel.traces.partition;

/**
 * A part of a file that one thread reads: the lines that begin in it.
 *
 * @param to may lie behind the file's end
 * @param isAtLine whether a line is known to begin with it; else the first newline is looked for
 * @param weight how many bytes it has of the file as it lies on the disk
 */
record Piece(Source source, long from, long to, boolean isAtLine, long weight) {}
