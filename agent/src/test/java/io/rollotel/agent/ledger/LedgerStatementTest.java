package io.rollotel.agent.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.rollotel.agent.log.Stderr;
import io.rollotel.agent.settings.CurrentSettings;
import io.rollotel.agent.settings.Settings;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The test reports woven methods; declared ones are in a folder or a jar. */
class LedgerStatementTest {

  private static final String INDEX = "META-INF/roll-otel/acme.Worker.idx";

  private @TempDir Path directory;
  private final Ledger account = new Ledger();

  @Test
  void everyMethodOfTheIndex_isInOnePlace() throws Exception {
    folder(
        index("acme.Worker", "woven", "(I)V"),
        index("acme.Worker", "large", "()V"),
        index("acme.Worker", "overload", "()V"),
        index("acme.Worker", "gone", "([[JLjava/lang/String;)V"),
        index("acme.Broken", "all", "()V"),
        index("acme.Unused", "never", "()V"));
    account.woven("acme.Worker", "woven", "(I)V", Ledger.Use.TRACE);
    account.failed("acme.Worker", "large", "()V", "too large");
    account.leftAlone("acme.Worker", "overload", "()V");
    account.failed("acme.Broken", "it cannot be changed");
    account.failed("acme.Unknown", "no JVM changes a class of this kind");

    assertThat(lines())
        .containsExactly(
            "declared 6, woven 1, failed 4, never loaded 1, never called 1; 0 spans exported, 0"
                + " dropped",
            "failed: acme.Broken.all(): it cannot be changed",
            "failed: acme.Unknown: no JVM changes a class of this kind",
            "failed: acme.Worker.large(): too large",
            "absent: acme.Worker.gone(long[][], String): its class was loaded without it: the"
                + " index is from another build, recompile",
            "never loaded: acme.Unused.never()",
            "never called: acme.Worker.woven(int)");
  }

  @Test
  void callsWithoutContext_nameTheCure() throws Exception {
    account.woven("acme.Worker", "play", "()V", Ledger.Use.TRACE);
    account.called("acme.Worker", "play", "()V");
    account.entry("acme.Worker", "play", "()V").countWithoutContext();
    assertThat(lines())
        .last()
        .asString()
        .startsWith(
            "no span: acme.Worker.play(): 1 calls, all suppressed, since none brought a context: ")
        .contains("@Dispatch", "ROLL_OTEL_NO_CONTEXT=root");
    assertThat(account.view(Settings.read("", Map.of())))
        .contains("@Dispatch", "ROLL_OTEL_NO_CONTEXT=root");
  }

  @Test
  void someCallsWithoutContext_areCounted() throws Exception {
    account.woven("acme.Worker", "play", "()V", Ledger.Use.TRACE);
    account.called("acme.Worker", "play", "()V");
    Ledger.Entry entry = account.entry("acme.Worker", "play", "()V");
    entry.setRecorded();
    entry.countWithoutContext();
    entry.countWithoutContext();
    assertThat(lines())
        .last()
        .isEqualTo(
            "no span: acme.Worker.play(): 2 calls, since they brought no context; the others have"
                + " spans");
  }

  @Test
  void manyOfAKind_areCutShort() throws Exception {
    for (int i = 0; i < 30; i++) {
      account.woven("acme.Worker", "m" + (10 + i), "()V", Ledger.Use.DISPATCH);
    }
    assertThat(lines()).hasSize(22).last().isEqualTo("never called: and 10 more");
  }

  /** Each unseen one would be compared with each loaded one: 4,000,000,000 comparisons. */
  @Test
  void manyDeclaredAndManyWoven_areSortedInOneReadingEach() throws Exception {
    Path folder = Files.createDirectories(directory.resolve("META-INF/roll-otel"));
    for (int file = 0; file < 4; file++) {
      StringBuilder index = new StringBuilder("roll-otel-index 1\n");
      for (int i = 0; i < 50_000; i++) {
        index.append(index("acme.Unused" + file + "n" + i, "never", "()V"));
      }
      Files.writeString(folder.resolve("acme.Unused" + file + ".idx"), index);
    }
    for (int i = 0; i < 20_000; i++) {
      account.woven("acme.Worker" + i, "work", "()V", Ledger.Use.TRACE);
    }
    String summary = assertTimeoutPreemptively(Duration.ofMinutes(1), () -> lines().get(0));
    assertThat(summary)
        .startsWith("declared 220,000, woven 20,000, failed 0, never loaded 200,000");
  }

  @ParameterizedTest
  @ValueSource(strings = {Ledger.TOO_OLD, Ledger.BLIND_LOADER})
  void manyClassesThatStayUntracedForOneReason_areTheirNumber(String reason) throws Exception {
    for (int i = 0; i < 386; i++) {
      account.failed("acme.Old" + i, "a", "()V", reason);
      account.failed("acme.Old" + i, "b", "()V", reason);
    }
    assertThat(lines()).endsWith("386 classes stay untraced: " + reason);
    try (Stderr stderr = new Stderr()) {
      new ExitReport(new CurrentSettings(Settings.read("", Map.of())), account).run();
      assertThat(stderr.lines())
          .containsExactly("[roll-otel] 386 classes stay untraced: " + reason);
    }
  }

  @Test
  void oneClassThatStaysUntraced_isNotCounted() throws Exception {
    account.failed("acme.Old", "a", "()V", Ledger.TOO_OLD);
    account.failed("acme.Old", "b", "()V", Ledger.TOO_OLD);
    account.failed("acme.Hidden", "a", "()V", Ledger.BLIND_LOADER);
    try (Stderr stderr = new Stderr()) {
      new ExitReport(new CurrentSettings(Settings.read("", Map.of())), account).run();
      assertThat(stderr.lines()).isEmpty();
    }
  }

  @Test
  void classPathOfAManifestAndJarsInAJar_areRead() throws Exception {
    Path other = jar("other.jar", INDEX, index("acme.Other", "a", "()V"));
    Path nested = jar("nested.jar", INDEX, index("acme.Nested", "b", "()V"));
    Path boot = directory.resolve("boot.jar");
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, other.getFileName() + " no.jar");
    try (OutputStream file = Files.newOutputStream(boot);
        JarOutputStream out = new JarOutputStream(file, manifest)) {
      out.putNextEntry(new JarEntry("BOOT-INF/classes/" + INDEX));
      out.write(("roll-otel-index 1\n" + index("acme.Boot", "c", "()V")).getBytes());
      out.putNextEntry(new JarEntry("BOOT-INF/lib/nested.jar"));
      out.write(Files.readAllBytes(nested));
    }
    String source = "jar:nested:" + boot + "/!BOOT-INF/classes/!/";
    assertThat(DeclaredMethods.read(List.of(source), inAMinute()).declared())
        .contains("acme.Other\ta\t()V", "acme.Nested\tb\t()V", "acme.Boot\tc\t()V");
  }

  @ParameterizedTest
  @CsvSource({"http://host/app.jar, http://host/app.jar", "jar:file:%s!/, damaged"})
  void whatCannotBeRead_isNamed(String source, String named) throws Exception {
    Path damaged = Files.writeString(directory.resolve("damaged.jar"), "no jar");
    assertThat(DeclaredMethods.read(List.of(source.formatted(damaged)), inAMinute()).unread())
        .singleElement()
        .asString()
        .contains(named);
  }

  @Test
  void indexOfAnotherVersion_isLeftAlone() throws Exception {
    Path folder = Files.createDirectories(directory.resolve("META-INF/roll-otel"));
    Files.writeString(
        folder.resolve("acme.Worker.idx"),
        "roll-otel-index 2\n" + index("acme.Worker", "a", "()V"));
    assertThat(lines().get(0)).startsWith("declared 0, ");
  }

  @Test
  void noTime_isSaid() throws Exception {
    assertThat(DeclaredMethods.read(List.of(), System.nanoTime() - 1).unread())
        .singleElement()
        .asString()
        .endsWith("(no time)");
  }

  private List<String> lines() {
    return LedgerStatement.lines(
        account, DeclaredMethods.read(List.of(directory.toUri().toString()), inAMinute()));
  }

  private static long inAMinute() {
    return System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
  }

  private static String index(String className, String method, String descriptor) {
    return String.join("\t", className, method, descriptor, "trace", "-", "-", "a name") + "\n";
  }

  private void folder(String... lines) throws Exception {
    Path file = directory.resolve(INDEX);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "roll-otel-index 1\n" + String.join("", lines));
  }

  private Path jar(String name, String entry, String line) throws Exception {
    Path jar = directory.resolve(name);
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file)) {
      out.putNextEntry(new JarEntry(entry));
      out.write(("roll-otel-index 1\n" + line).getBytes());
    }
    return jar;
  }
}
