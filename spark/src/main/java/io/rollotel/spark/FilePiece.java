package io.rollotel.spark;

import java.io.Serializable;

/**
 * A piece of a file that one task reads: the lines that begin in it.
 *
 * @param uri the file
 * @param rank its place in the order of all files
 * @param from the first byte
 * @param to after the last byte; {@link Long#MAX_VALUE} for the whole of a file that cannot be cut
 */
record FilePiece(String uri, int rank, long from, long to) implements Serializable {

  static final String PARQUET = ".parquet";

  boolean isGzip() {
    return uri.endsWith(".gz");
  }

  boolean isParquet() {
    return uri.endsWith(PARQUET);
  }
}
