package io.rollotel.traces.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The choice of a page for a browser, and how the page is written. */
final class PageChoice {

  /** Writes a page. */
  interface Content {
    void write(OutputStream to) throws IOException;
  }

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Option(
      names = "--html",
      paramLabel = "FILE",
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

  /** The file of the page: a new one in the directory for temporary files if none is named. */
  Path file() throws IOException {
    return html != null ? html : Files.createTempFile("roll-otel-", ".html");
  }

  /**
   * Writes the page, and opens it if the user wants that.
   *
   * @param reading its progress ends before anything is printed
   * @return the exit code
   * @throws IOException if the page cannot be written
   */
  int write(Path file, Content page, RunReading reading) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    OutputFile.makeFolderOf(file);
    try (OutputStream to = OutputFile.open(file)) {
      page.write(to);
    }
    reading.endProgress();
    out.printf(
        Locale.ROOT,
        "The page: %s (%.1f MB)%n",
        file.toAbsolutePath().normalize(),
        Files.size(file) / 1e6);
    out.flush();
    if (isOpened && !Browser.open(file.toAbsolutePath().normalize().toUri())) {
      spec.commandLine().getErr().println("No browser could be started here: open it yourself.");
      return Main.FAILED;
    }
    return 0;
  }
}
