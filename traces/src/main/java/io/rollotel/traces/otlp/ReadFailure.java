package io.rollotel.traces.otlp;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.zip.ZipException;

/** Why a file or a directory cannot be read, for people to read. */
public final class ReadFailure {

  /** The reason if the file belongs to another user. */
  public static final String NO_PERMISSION = "no permission to read it";

  private ReadFailure() {}

  /** The reason, behind the file's name and a colon. */
  public static String reason(IOException e) {
    if (e instanceof AccessDeniedException) {
      return NO_PERMISSION;
    }
    if (e instanceof NoSuchFileException) {
      return "it is no longer there";
    }
    String message = e instanceof FileSystemException system ? system.getReason() : e.getMessage();
    if (message == null) {
      return e.toString();
    }
    if (e instanceof ZipException) {
      return "the compressed file is damaged: " + message;
    }
    // Those of other classes need the name of their class.
    return e.getClass() == IOException.class || e instanceof FileSystemException
        ? message
        : e.toString();
  }
}
