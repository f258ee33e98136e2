package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A real Chromium with a page in it. */
final class PageBrowser implements AutoCloseable {

  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** Held, otherwise its level would be collected with it. */
  private static final Logger CDP =
      Logger.getLogger("org.openqa.selenium.devtools.CdpVersionFinder");

  private final ChromeDriver driver;

  /**
   * Starts the browser.
   *
   * @param profile an empty directory
   */
  PageBrowser(Path profile) {
    CDP.setLevel(Level.OFF); // it looks for a description of this version, and needs none
    ChromeOptions options = new ChromeOptions();
    options.setBinary(onPath("chromium"));
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=1280,900",
        "--user-data-dir=" + profile);
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    ChromeDriverService service =
        new ChromeDriverService.Builder().usingDriverExecutable(onPath("chromedriver")).build();
    this.driver = new ChromeDriver(service, options);
  }

  private static File onPath(String command) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
        .map(folder -> new File(folder, command))
        .filter(File::canExecute)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no " + command + ": run engines/setup"));
  }

  /** Writes a page and opens it; gives the file. */
  Path open(HtmlPage page, Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      page.write(out);
    }
    open(file.toUri().toString());
    return file;
  }

  void open(String address) {
    driver.get(address);
    await("document.body.dataset.ready === 'true'");
  }

  void load(String address) {
    driver.get(address);
  }

  void await(String condition) {
    long deadlineNanos = System.nanoTime() + PATIENCE_NANOS;
    while (!Boolean.TRUE.equals(run("return Boolean(" + condition + ")"))) {
      if (System.nanoTime() > deadlineNanos) {
        throw new AssertionError("never " + condition + ", but:\n" + text("main"));
      }
      pause();
    }
  }

  @Nullable Object run(String script, Object... arguments) {
    return driver.executeScript(script, arguments);
  }

  double number(String expression) {
    Object value = run("return Number(" + expression + ")");
    return value instanceof Number number ? number.doubleValue() : Double.NaN;
  }

  WebElement find(String selector) {
    return driver.findElement(By.cssSelector(selector));
  }

  WebElement find(By by) {
    return driver.findElement(by);
  }

  /** The visible text. */
  String text(String selector) {
    return find(selector).getText();
  }

  void click(String selector) {
    WebElement element = find(selector);
    run("arguments[0].scrollIntoView({ block: 'center' })", element); // not below the page's head
    element.click();
  }

  void type(CharSequence... keys) {
    new Actions(driver).sendKeys(keys).perform();
  }

  void typeWithShift(Keys key) {
    new Actions(driver).keyDown(Keys.SHIFT).sendKeys(key).keyUp(Keys.SHIFT).perform();
  }

  /** Clicks into the timeline, this many pixels from the top left corner of its visible part. */
  void clickTimeline(double x, double y) {
    clickCanvas(".lanes canvas", x, y);
  }

  /** Moves the pointer to a place in the timeline, measured as for a click. */
  void pointToTimeline(double x, double y) {
    pointTo(".lanes canvas", x, y).perform();
  }

  /** Drags from one place in the timeline to another beside it. */
  void dragTimeline(double from, double to, double y) {
    pointTo(".lanes canvas", from, y)
        .clickAndHold()
        .moveByOffset((int) (to - from) / 2, 0)
        .moveByOffset((int) (to - from) - (int) (to - from) / 2, 0)
        .release()
        .perform();
  }

  /** Clicks into a canvas, this many pixels from its top left corner. */
  void clickCanvas(String selector, double x, double y) {
    pointTo(selector, x, y).click().perform();
  }

  private Actions pointTo(String selector, double x, double y) {
    WebElement canvas = find(selector);
    run("arguments[0].scrollIntoView({ block: 'center' })", canvas);
    int left = canvas.getSize().getWidth() / 2;
    int top = canvas.getSize().getHeight() / 2;
    return new Actions(driver)
        .moveToElement(canvas, (int) Math.round(x) - left, (int) Math.round(y) - top);
  }

  /** The folder for files that the page offers. */
  void downloadTo(Path folder) {
    driver.executeCdpCommand(
        "Browser.setDownloadBehavior",
        Map.of("behavior", "allow", "downloadPath", folder.toString()));
  }

  /** Waits for a file that the page offers. */
  String downloaded(Path file) throws IOException {
    awaitDownload(file);
    return Files.readString(file);
  }

  /** Chromium reserves the name with an empty file, and finally moves the whole file there. */
  void awaitDownload(Path file) {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (file.toFile().length() == 0) {
      if (System.nanoTime() > deadlineNanos) {
        throw new AssertionError("never downloaded " + file);
      }
      pause();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(30);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** What a script returns at its end, which may take a while. */
  @Nullable Object runAsync(String script) {
    return driver.executeAsyncScript(script);
  }

  /** Takes a picture of what is in the window, after it is drawn. */
  void picture(Path file) throws IOException {
    driver.executeAsyncScript(
        "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))");
    Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
  }

  /** Shows the page as a phone of that size does. */
  void resize(int width, int height) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
  }

  void prefer(String colorScheme) {
    emulate("prefers-color-scheme", colorScheme);
  }

  /** As a setting of the browser or the system. */
  void emulate(String mediaFeature, String value) {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", mediaFeature, "value", value))));
  }

  /** Styles are those of paper. */
  void print() {
    driver.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("media", "print"));
  }

  /** Fails if the browser logged an error. */
  void assertNoComplaints() {
    assertThat(driver.manage().logs().get(LogType.BROWSER).getAll())
        .extracting(LogEntry::getMessage)
        .isEmpty();
  }

  @Override
  public void close() {
    driver.quit();
  }
}
