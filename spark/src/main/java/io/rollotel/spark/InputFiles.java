package io.rollotel.spark;

import io.rollotel.traces.parquet.ParquetFormat;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The files of some directories on any file system: the same files, in the same order, as a report
 * on one machine reads.
 */
final class InputFiles {

  /** The part of a file of lines that a task reads. */
  static final long PIECE_BYTES = 64L << 20;

  /** What a span takes in a file, roughly: as a line, compressed, in Parquet. */
  private static final long BYTES = 450;

  private static final long GZIP_BYTES = 38;
  private static final long PARQUET_BYTES = 16;

  private static final List<String> FOR_ONE_MACHINE = List.of("open", "profiles");

  private final List<Path> where = new ArrayList<>();
  private final List<FileStatus> files = new ArrayList<>();
  private final List<String> leftOut = new ArrayList<>();

  /**
   * Lists directories, or files.
   *
   * @throws FileNotFoundException if a path does not exist
   * @throws IOException if a directory cannot be read
   */
  InputFiles(List<String> dirs, Configuration configuration) throws IOException {
    for (String one : dirs) {
      FileSystem system = new Path(one).getFileSystem(configuration);
      Path path = system.makeQualified(new Path(one));
      where.add(path);
      FileStatus status = system.getFileStatus(path);
      if (!status.isDirectory()) {
        files.add(status);
        continue;
      }
      List<FileStatus> below = new ArrayList<>();
      for (String folder : FOR_ONE_MACHINE) {
        Path other = new Path(path, folder);
        if (isDirectory(system, other) && system.listStatus(other).length != 0) {
          leftOut.add(other.toString());
        }
      }
      Path traces = new Path(path, "traces");
      find(system, isDirectory(system, traces) ? traces : path, /* isAside= */ false, below);
      below.sort(Comparator.comparing(file -> file.getPath().toUri().getPath()));
      files.addAll(below);
    }
  }

  private static boolean isDirectory(FileSystem system, Path path) throws IOException {
    try {
      return system.getFileStatus(path).isDirectory();
    } catch (FileNotFoundException none) {
      return false;
    }
  }

  private static void find(
      FileSystem system, Path directory, boolean isAside, List<FileStatus> found)
      throws IOException {
    for (FileStatus status : system.listStatus(directory)) {
      Path path = status.getPath();
      String name = path.getName();
      boolean isSkipped = isAside || ParquetFormat.isAside(name);
      if (status.isDirectory()) {
        if (!isLink(path)) {
          find(system, path, isSkipped, found);
        }
      } else if (name.endsWith(".jsonl")
          || name.endsWith(".jsonl.gz")
          || (name.endsWith(ParquetFormat.SUFFIX) && !isSkipped)) {
        found.add(status);
      }
    }
  }

  /** Hadoop follows links of this machine without telling, even into a circle. */
  private static boolean isLink(Path path) {
    URI uri = path.toUri();
    return "file".equals(uri.getScheme())
        && Files.isSymbolicLink(java.nio.file.Path.of(uri.getPath()));
  }

  /** Folders with files that only a report on one machine reads: recordings of processes. */
  List<String> leftOut() {
    return leftOut;
  }

  /** Their paths: local files as on their machine, others with their file system. */
  List<java.nio.file.Path> paths() {
    return files.stream().map(file -> path(file.getPath())).toList();
  }

  /** The directories or files that were given, in the same form. */
  List<java.nio.file.Path> where() {
    return where.stream().map(InputFiles::path).toList();
  }

  private static java.nio.file.Path path(Path path) {
    String scheme = path.toUri().getScheme();
    return java.nio.file.Path.of(
        scheme == null || scheme.equals("file") ? path.toUri().getPath() : path.toString());
  }

  /** The pieces that one task each reads. */
  List<FilePiece> pieces(long pieceBytes) {
    List<FilePiece> pieces = new ArrayList<>();
    for (int rank = 0; rank < files.size(); rank++) {
      String uri = files.get(rank).getPath().toString();
      FilePiece whole = new FilePiece(uri, rank, 0, Long.MAX_VALUE);
      if (whole.isGzip() || whole.isParquet()) {
        pieces.add(whole);
        continue;
      }
      long length = files.get(rank).getLen();
      for (long from = 0; from < length; from += pieceBytes) {
        pieces.add(new FilePiece(uri, rank, from, Math.min(length, from + pieceBytes)));
      }
    }
    return pieces;
  }

  /** How many spans they have, roughly. */
  long estimatedSpans() {
    long spans = 0;
    for (FileStatus file : files) {
      FilePiece piece = new FilePiece(file.getPath().toString(), 0, 0, file.getLen());
      spans +=
          file.getLen() / (piece.isParquet() ? PARQUET_BYTES : piece.isGzip() ? GZIP_BYTES : BYTES);
    }
    return spans;
  }
}
