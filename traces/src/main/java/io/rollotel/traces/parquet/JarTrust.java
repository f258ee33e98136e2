package io.rollotel.traces.parquet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import org.jspecify.annotations.Nullable;

/**
 * Whether a jar may be run just because it is beside ours: in a directory that many may write to,
 * such as {@code /tmp}, anybody could have put it there. Only for files with POSIX owners.
 */
final class JarTrust {

  private JarTrust() {}

  /** Why a jar may not be run, as a part of a sentence; null if it may. */
  static @Nullable String against(Path jar, Path ours) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(jar, PosixFileAttributeView.class);
    if (view == null) {
      return null;
    }
    PosixFileAttributes attributes = view.readAttributes();
    if (attributes.permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
      return "anybody may write to it";
    }
    UserPrincipal owner = attributes.owner();
    return owner.equals(Files.getOwner(ours)) || isUs(owner) || owner.equals(user(jar, "root"))
        ? null
        : "it belongs to " + owner.getName();
  }

  private static boolean isUs(UserPrincipal owner) throws IOException {
    Path self = Path.of("/proc/self"); // works even if our user id has no name
    return owner.equals(
        Files.exists(self) ? Files.getOwner(self) : user(self, System.getProperty("user.name")));
  }

  /** Null if there is no such user. */
  private static @Nullable UserPrincipal user(Path of, String name) {
    try {
      return of.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(name);
    } catch (IOException none) {
      return null;
    }
  }
}
