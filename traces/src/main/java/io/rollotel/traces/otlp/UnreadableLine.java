package io.rollotel.traces.otlp;

import java.nio.file.Path;

/**
 * A line that was skipped as a whole.
 *
 * @param file the file that contains it
 * @param lineNumber from 1; if reading the file itself failed, the line reached; 0 if it could not
 *     be opened
 * @param reason why it cannot be read
 */
public record UnreadableLine(Path file, long lineNumber, String reason) {

  /** The file's name and the line's number, if there is one. */
  public String place() {
    return file.getFileName() + (lineNumber == 0 ? "" : ", line " + lineNumber);
  }
}
