package io.rollotel.traces.file;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Files in a directory that other users may write to, such as {@code /tmp}. Symbolic links of other
 * users are not followed, and an address file of another user is not trusted. A file system without
 * owners is trusted.
 */
public final class SharedFolder {

  private static final Set<PosixFilePermission> OWNER_ONLY =
      EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

  private static final int KIND = 0170_000;
  private static final int PLAIN_FILE = 0100_000;
  private static final int STICKY = 01_000;
  private static final int OTHERS_WRITE = 02;
  private static final int GROUP_WRITE = 020;

  /** The modes that a file system without modes reports; the agent creates no executable files. */
  private static final int ALL = 0777;

  private static final int ROOT = 0;
  private static final int UNKNOWN = -1;

  private SharedFolder() {}

  /**
   * Opens a file for appending, and creates it if missing, with the mode of new files.
   *
   * @throws IOException if it cannot be opened or is a link, unless it is this user's link to a
   *     device
   */
  public static FileOutputStream append(File file) throws IOException {
    Path path;
    try {
      path = file.toPath();
    } catch (InvalidPathException notInThisLocale) {
      return new FileOutputStream(file, true); // this has no such restriction
    }
    try {
      Files.createFile(path); // fails for a link, wherever it leads
    } catch (FileAlreadyExistsException there) {
      refuseLink(path);
    }
    // Only a user who may replace this file could put a link there now.
    return new FileOutputStream(file, true);
  }

  private static void refuseLink(Path path) throws IOException {
    if (Files.isSymbolicLink(path) && !(isDevice(path) && owner(path) == us())) {
      throw new IOException(path + " is a symbolic link, which is not followed: remove it");
    }
  }

  /** Appending to a device or a pipe overwrites nothing. */
  private static boolean isDevice(Path path) {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class).isOther();
    } catch (IOException leadsNowhere) {
      return false;
    }
  }

  /**
   * Creates an empty file that only this user may read and write, from the moment it exists.
   * Removes an existing file of that name first; if it is a link, the link and not its target.
   */
  public static OutputStream replace(Path file) throws IOException {
    Files.deleteIfExists(file);
    try {
      Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    } catch (UnsupportedOperationException noModes) {
      Files.createFile(file);
    }
    return Files.newOutputStream(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
  }

  /** Whether others may read a file; true if its file system has no modes. */
  public static boolean isReadByOthers(Path file) throws IOException {
    try {
      return !OWNER_ONLY.containsAll(
          Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
    } catch (UnsupportedOperationException noModes) {
      return true;
    }
  }

  /** Whether all users may remove and replace others' files in a directory. */
  public static boolean isOpenToAll(Path folder) {
    try {
      int mode = (int) Files.getAttribute(folder, "unix:mode");
      return (mode & OTHERS_WRITE) != 0 && (mode & STICKY) == 0;
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException unknown) {
      return false;
    }
  }

  /**
   * Why a file may come from another user; null if it is ours. Root also trusts the owner of the
   * directory.
   *
   * @throws IOException if there is no such file
   */
  public static @Nullable String doubt(Path file) throws IOException {
    int mode;
    int owner;
    try {
      Map<String, Object> facts =
          Files.readAttributes(file, "unix:mode,uid", LinkOption.NOFOLLOW_LINKS);
      mode = (int) Objects.requireNonNull(facts.get("mode"));
      owner = (int) Objects.requireNonNull(facts.get("uid"));
    } catch (UnsupportedOperationException | IllegalArgumentException noOwners) {
      return Files.isSymbolicLink(file) ? "it is a symbolic link" : null;
    }
    if ((mode & KIND) != PLAIN_FILE) {
      return "it is not a regular file";
    }
    int us = us();
    boolean isOurs = owner == us || us == UNKNOWN;
    if (!isOurs && !(us == ROOT && owner == owner(file.toAbsolutePath().getParent()))) {
      return "it belongs to another user, " + owner;
    }
    if ((mode & (OTHERS_WRITE | GROUP_WRITE)) != 0 && (mode & ALL) != ALL) {
      return "others may write it";
    }
    return null;
  }

  /** The owner's number; unknown if there is none. */
  private static int owner(@Nullable Path file) {
    try {
      return file == null
          ? UNKNOWN
          : (int) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException unknown) {
      return UNKNOWN;
    }
  }

  /** The user that this process acts as; unknown on systems other than Linux. */
  private static int us() {
    try {
      return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException notLinux) {
      return UNKNOWN;
    }
  }
}
