package io.rollotel.traces.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * Where an export or a page goes. A regular file gets its name when it is complete: after a failure
 * or Ctrl-C there is none, or still the previous one. Anything else, such as a named pipe, is
 * written as it is.
 */
final class Destination {

  /** What is written. */
  interface Content {

    /**
     * Writes it; does not close the stream.
     *
     * @return how much that was, in any unit: a file of nothing is not kept
     */
    long write(OutputStream to) throws IOException;
  }

  private static final Set<String> STANDARD_OUTPUT = Set.of("-", "/dev/stdout");

  private final Path file;
  private final Main main;
  private final boolean isReplaced;

  private Destination(Path file, Main main, boolean isReplaced) {
    this.file = file;
    this.main = main;
    this.isReplaced = isReplaced;
  }

  /** One that must not {@link #isThere be there}. */
  static Destination ofNew(Path file, Main main) {
    return new Destination(file, main, false);
  }

  /** A file that may exist, and then is replaced. */
  static Destination replacing(Path file, Main main) {
    return new Destination(file, main, true);
  }

  /** Whether there is a file, a directory or a dangling link, which a new file must not replace. */
  boolean isThere() {
    boolean isDangling = Files.isSymbolicLink(file) && !Files.exists(file);
    return !isStandardOutput()
        && (Files.isRegularFile(file) || Files.isDirectory(file) || isDangling);
  }

  boolean isStandardOutput() {
    return STANDARD_OUTPUT.contains(file.toString());
  }

  /** For what the command says about the file: not in the file itself. */
  PrintWriter lines() {
    return isStandardOutput() ? main.errorLines() : main.lines();
  }

  /** Its name, in a sentence. */
  @Override
  public String toString() {
    return isStandardOutput() ? "standard output" : file.toString();
  }

  /**
   * Writes it.
   *
   * @return what the content returns
   * @throws IOException whose message is a complete sentence
   */
  long write(Content content) throws IOException {
    if (isStandardOutput()) {
      long written = content.write(main.bytes());
      main.bytes().flush();
      return written;
    }
    boolean isRegular = Files.isRegularFile(file);
    Path named = isRegular ? file.toRealPath() : file; // not a link to it
    // A link to a file that does not exist: the file is created, and the link stays.
    boolean isOther = Files.exists(file) || Files.isSymbolicLink(file);
    if (isRegular ? !isReplaceable(named) : isOther) {
      return writeInPlace(content);
    }
    // Two commands may replace a page at once.
    String ofCommand = isReplaced ? "." + ProcessHandle.current().pid() : "";
    return write(named, named.resolveSibling(named.getFileName() + ofCommand + ".part"), content);
  }

  /** Not if the user may not write it: opening it says so. */
  private static boolean isReplaceable(Path regular) {
    return Files.isWritable(regular)
        && Files.isWritable(regular.toAbsolutePath().resolveSibling("."));
  }

  private long writeInPlace(Content content) throws IOException {
    try (OutputStream to = OutputFile.open(file)) {
      return content.write(to);
    }
  }

  private long write(Path named, Path part, Content content) throws IOException {
    OutputStream open = OutputFile.openPart(part, file);
    Thread removal = new Thread(() -> OutputFile.removePart(part), "roll-otel-part");
    atExit(removal);
    try {
      long written;
      try (OutputStream to = open) {
        // While the part is empty: nobody reads in it what they may not read in the file.
        if (isReplaced && Files.exists(named) && !OutputFile.takeAccess(part, named)) {
          return writeInPlace(content);
        }
        written = content.write(to);
      }
      if (written != 0) {
        OutputFile.keep(part, named, isReplaced);
      }
      return written;
    } finally {
      OutputFile.removePart(part);
      notAtExit(removal);
    }
  }

  private static void atExit(Thread removal) {
    try {
      Runtime.getRuntime().addShutdownHook(removal);
    } catch (IllegalStateException ending) {
      removal.start(); // before the JVM has ended
    }
  }

  private static void notAtExit(Thread removal) {
    try {
      Runtime.getRuntime().removeShutdownHook(removal);
    } catch (IllegalStateException ending) {
      // It runs.
    }
  }
}
