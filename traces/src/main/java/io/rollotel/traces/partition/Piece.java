package io.rollotel.traces.partition;

/**
 * A part of a file that one thread reads: the lines that begin in it.
 *
 * @param to may be after the file's end
 * @param isAtLine whether a line is known to begin there; otherwise the first newline is searched
 * @param weight its part of the bytes of the file on the disk
 */
record Piece(Source source, long from, long to, boolean isAtLine, long weight) {}
