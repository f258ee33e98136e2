package io.rollotel.traces.page;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A test of the page in a real browser; each method has a browser of its own. */
@Tag("engines")
@Timeout(600)
abstract class BrowserTest {

  @TempDir Path dir;
  PageBrowser browser;

  @BeforeEach
  void startBrowser() throws IOException {
    browser = new PageBrowser(Files.createDirectory(dir.resolve("profile")));
  }

  @AfterEach
  void closeBrowser() {
    browser.close();
  }
}
