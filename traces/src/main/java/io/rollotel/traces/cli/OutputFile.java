package io.rollotel.traces.cli;

import io.rollotel.traces.file.WriteFailure;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;

/** A file that a command writes. If that fails, the exception names the file and the reason. */
final class OutputFile {

  private OutputFile() {}

  /**
   * Opens it.
   *
   * @throws IOException whose message is a complete sentence, like those of the stream's methods
   */
  static OutputStream open(Path file, OpenOption... options) throws IOException {
    try {
      return new Named(Files.newOutputStream(file, options), file);
    } catch (IOException e) {
      throw cannot(file, e);
    }
  }

  /**
   * Opens a new file under a temporary name; the caller renames it when it is complete.
   *
   * @param file what it will be, which failures name
   * @throws IOException as {@link #open}; also if the part already exists
   */
  static OutputStream openPart(Path part, Path file) throws IOException {
    try {
      OutputStream out =
          Files.newOutputStream(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      return new Named(out, file);
    } catch (FileAlreadyExistsException there) {
      throw new IOException(
          part
              + " already exists: another command writes it, or one was killed. Remove it if none"
              + " does.",
          there);
    } catch (AccessDeniedException e) { // the file has another name as yet
      throw new IOException(
          "Cannot write "
              + file
              + ": no permission to create a file in "
              + file.toAbsolutePath().normalize().getParent()
              + ".",
          e);
    } catch (IOException e) {
      throw cannot(file, e);
    }
  }

  /**
   * Gives a complete file its name once it is on the disk: after a crash of the machine, the file
   * is complete or missing.
   *
   * @param isReplaced whether it may replace a file
   * @throws IOException as {@link #open}; also if it may not, and one has been created meanwhile
   */
  static void keep(Path part, Path file, boolean isReplaced) throws IOException {
    try {
      try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
      if (isReplaced) {
        Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
      } else {
        Files.move(part, file);
      }
    } catch (FileAlreadyExistsException there) {
      throw new IOException(file + " already exists: it was made meanwhile.", there);
    } catch (IOException e) {
      throw cannot(file, e);
    }
  }

  /**
   * Gives a part the permissions of the file that it will replace.
   *
   * @return false if it cannot stand for it, since it has another owner or group
   */
  static boolean takeAccess(Path part, Path file) {
    PosixFileAttributeView view = Files.getFileAttributeView(part, PosixFileAttributeView.class);
    if (view == null) {
      return true; // another system, which has no such permissions
    }
    try {
      PosixFileAttributes replaced = Files.readAttributes(file, PosixFileAttributes.class);
      PosixFileAttributes own = view.readAttributes();
      if (!own.owner().equals(replaced.owner()) || !own.group().equals(replaced.group())) {
        return false;
      }
      view.setPermissions(replaced.permissions());
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Removes a part, unless it has its name. */
  static void removePart(Path part) {
    try {
      Files.deleteIfExists(part);
    } catch (IOException e) {
      // The next command names it.
    }
  }

  /**
   * Creates the directory of a file.
   *
   * @throws IOException whose message is a complete sentence
   */
  static void makeFolderOf(Path file) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null && !Files.isDirectory(folder)) {
      try {
        Files.createDirectories(folder);
      } catch (IOException e) {
        throw cannot(file, e);
      }
    }
  }

  private static IOException cannot(Path file, IOException e) {
    return new IOException("Cannot write " + file + ": " + WriteFailure.reason(file, e) + ".", e);
  }

  private static final class Named extends FilterOutputStream {
    private final Path file;

    Named(OutputStream out, Path file) {
      super(out);
      this.file = file;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      try {
        out.write(bytes, from, length);
      } catch (IOException e) {
        throw cannot(file, e); // for example, the disk is full
      }
    }
  }
}
