package io.rollotel.traces.file;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Why a file or a directory cannot be written, for people to read. */
public final class WriteFailure {

  private WriteFailure() {}

  /** The reason, as a part of a sentence. */
  public static String reason(Path file, IOException e) {
    if (Files.isDirectory(file)) {
      return "it is a directory";
    }
    if (e instanceof AccessDeniedException denied) {
      return "no permission for " + denied.getFile();
    }
    if (e instanceof FileAlreadyExistsException exists) {
      return exists.getFile() + " is not a directory";
    }
    if (e instanceof NoSuchFileException) {
      Path folder = file.toAbsolutePath().getParent();
      return folder != null && Files.isDirectory(folder)
          ? "no file can be created there"
          : "there is no such directory";
    }
    String message = e instanceof FileSystemException system ? system.getReason() : e.getMessage();
    return message == null ? e.toString() : message;
  }
}
