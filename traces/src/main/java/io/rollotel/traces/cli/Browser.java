package io.rollotel.traces.cli;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The user's browser, through the operating system's command for opening files and URLs. */
final class Browser {

  private static final long PATIENCE_SECONDS = 3;

  private Browser() {}

  /** Opens a page; false if no browser took it. */
  static boolean open(URI page) {
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    List<String> command =
        system.startsWith("win")
            ? List.of("rundll32", "url.dll,FileProtocolHandler", page.toString())
            : List.of(system.contains("mac") ? "open" : "xdg-open", page.toString());
    try {
      Process opener =
          new ProcessBuilder(command)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      // A process that still runs has become the browser.
      return !opener.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || opener.exitValue() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
