package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens if otelcol is missing or does not start. */
@Timeout(600)
class OtelcolProcessTest {

  @TempDir Path dir;

  @BeforeEach
  void needsAShell() {
    assumeThat(Path.of("/bin/sh")).exists();
  }

  @Test
  void contribDistribution_isPreferredWhereverItIsOnThePath() throws Exception {
    Path first = script("first/otelcol", "");
    assertThat(OtelcolBinary.find(first.getParent().toString())).isEqualTo(first.toFile());
    Path contrib = script("second/otelcol-contrib", "");
    String path =
        String.join(File.pathSeparator, "", first.getParent() + "", contrib.getParent() + "");
    assertThat(OtelcolBinary.find(path)).isEqualTo(contrib.toFile());
    assertThat(OtelcolBinary.find(dir.toString())).isNull();
    assertThat(OtelcolBinary.find(null)).isNull();
  }

  /** Arabic locales have digits of their own, which otelcol does not take. */
  @ParameterizedTest
  @ValueSource(strings = {"en", "ar-EG"})
  void otelcolThatDoesNotStart_isToldWithItsLastWords(String locale) throws Exception {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag(locale));
    try {
      startsNot();
    } finally {
      Locale.setDefault(before);
    }
  }

  private void startsNot() throws Exception {
    Path file = dir.resolve("traces/traces.jsonl");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "{}\n{\"torn");
    Path otelcol = script("otelcol", "echo \"bad config $2\"; exit 7");
    assertThatThrownBy(
            () ->
                OtelcolProcess.start(
                    otelcol.toFile(), dir.toFile(), CollectorSettings.ofDriver(), line -> {}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ended with 7; its log ends: bad config " + dir);
    assertThat(file).content().isEqualTo("{}\n{\"torn\n");
    assertThat(dir.resolve("traces/otelcol.yaml"))
        .content()
        .contains("max_megabytes: 256", "endpoint: '127.0.0.1:", "path: '" + file + "'")
        .containsPattern("grpc:\\n +endpoint: '127.0.0.1:\\d+'");
  }

  /** All runs append to it; here its beginning is a hole, which takes no room on the disk. */
  @Test
  void logLargerThanTheHeap_isReadFromItsEnd() throws Exception {
    Path log = Files.createDirectories(dir.resolve("traces")).resolve("otelcol.log");
    try (RandomAccessFile sparse = new RandomAccessFile(log.toFile(), "rw")) {
      sparse.setLength(3L << 30);
      sparse.seek(sparse.length());
      sparse.write('\n');
    }
    File otelcol =
        script("otelcol", "for i in 1 2 3 4 5 6 7; do echo line $i; done; exit 7").toFile();
    assertThatThrownBy(
            () ->
                OtelcolProcess.start(
                    otelcol, dir.toFile(), CollectorSettings.ofDriver(), line -> {}))
        .isInstanceOf(IOException.class)
        .hasMessageEndingWith("its log ends: line 3 | line 4 | line 5 | line 6 | line 7");
  }

  @Test
  void addressOfTheNetwork_isNotForOtelcol() throws Exception {
    CollectorSettings driver = CollectorSettings.ofDriver();
    CollectorSettings open =
        new CollectorSettings(
            CollectorSettings.Kind.OTELCOL,
            InetAddress.getByName("0.0.0.0"),
            0,
            0,
            null,
            driver.limits(),
            driver.rules(),
            driver.page());
    File otelcol = script("otelcol", "").toFile();
    assertThatThrownBy(() -> OtelcolProcess.start(otelcol, dir.toFile(), open, line -> {}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("loopback alone");
  }

  private Path script(String name, String body) throws IOException {
    Path script = dir.resolve(name);
    Files.createDirectories(script.getParent());
    Files.writeString(script, "#!/bin/sh\n" + body + "\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();
    return script;
  }
}
