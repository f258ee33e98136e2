package io.rollotel.traces.partition;

import io.rollotel.traces.file.WriteFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/** The directory of a cache: its location, and which of its files may be deleted. */
final class CacheDir {

  private static final String NAME = "report-cache";

  /** The files of the cache. None has the extension of a file of spans. */
  private static final Pattern OURS =
      Pattern.compile("[pm]\\d{4}|joins|resources|manifest(\\.new)?");

  private CacheDir() {}

  /** See {@link Partitions#defaultDir}. */
  static Path byDefault(List<Path> dirs) throws IOException {
    StringBuilder paths = new StringBuilder();
    for (Path dir : dirs) {
      paths.append(dir.toRealPath()).append('\n');
    }
    String several = NAME + "-" + hash(paths.toString());
    if (!dirs.isEmpty()) {
      Path first = dirs.get(0).toRealPath();
      boolean isAlone = dirs.size() == 1 && Files.isDirectory(first);
      Path folder = Files.isDirectory(first) ? first : first.getParent();
      if (folder != null && isUsable(folder, folder.resolve(isAlone ? NAME : several))) {
        return folder.resolve(isAlone ? NAME : several);
      }
    }
    String user = System.getProperty("user.name", "");
    return Path.of(
        System.getProperty("java.io.tmpdir"),
        "roll-otel-" + hash(user + "\n" + paths).substring(0, 16));
  }

  private static boolean isUsable(Path folder, Path dir) {
    return Files.exists(dir) ? Files.isDirectory(dir) && isWritable(dir) : Files.isWritable(folder);
  }

  private static boolean isWritable(Path dir) {
    Path lock = dir.resolve(CacheLock.NAME);
    return Files.isWritable(dir) && (!Files.exists(lock) || Files.isWritable(lock));
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each JDK has it", e);
    }
  }

  /**
   * Creates it if it does not exist; for this user only, if the file system supports that.
   *
   * @return its real path
   * @throws IOException if it cannot be created, has other contents, or is in a shared directory
   *     and belongs to another user, who could use links to overwrite this user's files
   */
  static Path make(Path dir) throws IOException {
    if (!Files.isDirectory(dir)) {
      Path whole = dir.toAbsolutePath().normalize();
      Path parent = whole.getParent();
      try {
        if (parent != null) {
          Files.createDirectories(parent);
        }
        create(whole);
      } catch (IOException e) {
        throw new IOException(
            "The cache "
                + dir
                + " cannot be created ("
                + WriteFailure.reason(whole, e)
                + "): name another with --cache DIR.",
            e);
      }
    }
    Path real = dir.toRealPath();
    if (isInTemporary(real) && !isOfThisUser(real)) {
      throw new IOException(
          real + " belongs to another user: choose a directory of your own with --cache DIR");
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(real)) {
      for (Path entry : entries) {
        String name = entry.getFileName().toString();
        if (!isOurs(name)) {
          throw new IOException(
              real
                  + " holds "
                  + name
                  + ", which is no part of a cache: choose an empty directory with --cache DIR");
        }
      }
    }
    return real;
  }

  private static void create(Path dir) throws IOException {
    if (dir.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      Files.createDirectory(
          dir, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } else {
      Files.createDirectory(dir);
    }
  }

  private static boolean isInTemporary(Path real) throws IOException {
    return real.startsWith(Path.of(System.getProperty("java.io.tmpdir")).toRealPath());
  }

  /** Created files belong to this user, whatever the user's name is. */
  private static boolean isOfThisUser(Path dir) throws IOException {
    Path made = Files.createTempFile("roll-otel-", ".owner");
    try {
      return Files.getOwner(made).equals(Files.getOwner(dir));
    } finally {
      Files.delete(made);
    }
  }

  private static boolean isOurs(String name) {
    return name.equals(CacheLock.NAME)
        || name.equals(CacheLock.HOLDER)
        || OURS.matcher(name).matches();
  }

  /**
   * Deletes its contents, the manifest first: without that, nothing is valid.
   *
   * @throws IOException if a file with the manifest's name is not a manifest
   */
  static void empty(Path dir) throws IOException {
    if (Manifest.isIn(dir) && !Manifest.isOne(dir)) {
      throw new IOException(
          dir
              + " holds a file "
              + Manifest.NAME
              + " that is no part of a cache: choose an empty directory with --cache DIR");
    }
    Files.deleteIfExists(dir.resolve(Manifest.NAME));
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(dir)) {
      for (Path entry : entries) {
        boolean isFile = Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS);
        if (isFile && OURS.matcher(entry.getFileName().toString()).matches()) {
          Files.deleteIfExists(entry);
        }
      }
    }
  }

  /** The free space of its file system; a very large number if unknown. */
  static long freeBytes(Path dir) {
    try {
      long free = Files.getFileStore(dir).getUsableSpace();
      return free > 0 || isFull(dir) ? free : Long.MAX_VALUE;
    } catch (IOException unknown) {
      return Long.MAX_VALUE;
    }
  }

  /** Whether the file system reports its size. */
  private static boolean isFull(Path dir) throws IOException {
    return Files.getFileStore(dir).getTotalSpace() > 0;
  }
}
