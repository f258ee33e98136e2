package io.rollotel.traces.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The choice of a page for a browser, and how the page is written. */
final class PageChoice {

  /** Writes a page. */
  interface Content extends Destination.Content {
    void page(OutputStream to) throws IOException;

    @Override
    default long write(OutputStream to) throws IOException {
      page(to);
      return 1;
    }
  }

  private static final Pattern PAGE = Pattern.compile("(?i)\\s*<(!doctype )?html");

  private static final int HEAD_BYTES = 256;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Option(
      names = "--html",
      paramLabel = "FILE",
      converter = Usage.NewFile.class,
      description = "Writes the whole report as a self-contained page for a browser")
  private @Nullable Path html;

  @Option(
      names = "--open",
      description = "Opens the page in a browser; without --html, a temporary file")
  private boolean isOpened;

  // Made by picocli.
  PageChoice() {}

  /** Whether there is to be a page. */
  boolean isGiven() {
    return html != null || isOpened;
  }

  /** The file that the user has named; null for none. */
  @Nullable Path named() {
    return html;
  }

  /** Whether it goes to standard output, which then has nothing else. */
  boolean isPrinted() {
    return html != null && Destination.replacing(html, Main.of(spec)).isStandardOutput();
  }

  /**
   * Checks where the page goes.
   *
   * @param isWithOthers whether others are to be written beside it
   * @throws ParameterException if that needs a file, and it goes to standard output; or if the file
   *     has something else than a page
   */
  void check(boolean isWithOthers) {
    if (isPrinted() && (isWithOthers || isOpened)) {
      throw new ParameterException(
          spec.commandLine(), "--pages and --open need a file, not standard output.");
    }
    if (html != null && !isPrinted() && isNoPage(html)) {
      throw new ParameterException(
          spec.commandLine(),
          html
              + " is not a page, so it is not replaced. --html takes the name of the page to write.");
    }
  }

  /** Whether a file has something else, such as the spans that were to be read. */
  private static boolean isNoPage(Path file) {
    if (!Files.isRegularFile(file)) {
      return false;
    }
    try (InputStream in = Files.newInputStream(file)) {
      String head = new String(in.readNBytes(HEAD_BYTES), ISO_8859_1);
      return !head.isBlank() && !PAGE.matcher(head).lookingAt();
    } catch (IOException e) {
      return false; // writing it will report that
    }
  }

  /**
   * Writes the page, and opens it if the user wants that.
   *
   * @param reading its progress ends before anything is printed
   * @return the exit code
   * @throws IOException if the page cannot be written
   */
  int write(Content page, RunReading reading) throws IOException {
    if (html == null) {
      return open(write(Files.createTempFile("roll-otel-", ".html"), page, reading));
    }
    OutputFile.makeFolderOf(html);
    Destination to = Destination.replacing(html, Main.of(spec));
    to.write(page);
    reading.endProgress();
    if (to.isThere()) {
      print(html);
    }
    return isOpened ? open(html) : 0;
  }

  /** One that only its user can read. */
  private Path write(Path temporary, Content page, RunReading reading) throws IOException {
    try (OutputStream to = OutputFile.open(temporary)) {
      page.write(to);
    }
    reading.endProgress();
    print(temporary);
    return temporary;
  }

  private void print(Path file) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "The page: %s (%.1f MB)%n",
        file.toAbsolutePath().normalize(),
        Files.size(file) / 1e6);
    out.flush();
  }

  private int open(Path file) {
    if (!Browser.open(file.toAbsolutePath().normalize().toUri())) {
      spec.commandLine().getErr().println("No browser could be started here: open it yourself.");
      return Main.FAILED;
    }
    return 0;
  }
}
