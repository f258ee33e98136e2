package io.rollotel.traces.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.PlantedProfile;
import io.rollotel.traces.kit.Requests;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DestinationTest {

  @TempDir Path dir;
  private Path folder;
  private Path file;

  @BeforeEach
  void folder() throws Exception {
    folder = Files.createDirectory(dir.resolve("folder"));
    file = folder.resolve("written");
  }

  private static Main main() {
    return new Main(
        new StandardOutput(new ByteArrayOutputStream(), Path.of("")),
        new PrintWriter(new StringWriter()),
        new Terminal(Map.of(), descriptor -> false, () -> ""));
  }

  private List<String> left() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(one -> one.getFileName().toString()).sorted().toList();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "new,       '', '',  fails, ''",
    "new,       '', new, 0,     ''",
    "new,       '', new, 1,     new",
    "replacing, '', '',  fails, ''",
    "replacing, old, x,  fails, old",
    "replacing, old, x,  1,     x",
    "replacing, '',  x,  1,     x",
  })
  void file_isCompleteOrAsBefore(
      String kind, String before, String written, String end, String after) throws Exception {
    if (!before.isEmpty()) {
      Files.writeString(file, before);
    }
    Destination to =
        kind.equals("new") ? Destination.ofNew(file, main()) : Destination.replacing(file, main());
    Destination.Content content =
        out -> {
          out.write(written.getBytes(UTF_8));
          assertThat(Files.exists(file)).isEqualTo(!before.isEmpty());
          if (end.equals("fails")) {
            throw new IOException("full");
          }
          return Long.parseLong(end);
        };
    if (end.equals("fails")) {
      assertThatThrownBy(() -> to.write(content)).hasMessage("full");
    } else {
      assertThat(to.write(content)).isEqualTo(Long.parseLong(end));
    }
    assertThat(left()).isEqualTo(after.isEmpty() ? List.of() : List.of("written"));
    assertThat(after.isEmpty() || Files.readString(file).equals(after)).isTrue();
  }

  @Test
  void programThatIsEnded_leavesNoFileAndNoPart() throws Exception {
    Process program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                EndedWhileWriting.class.getName(),
                file.toString(),
                file + ".part")
            .inheritIO()
            .start();
    assertThat(program.waitFor()).isEqualTo(130);
    assertThat(left()).isEmpty();
  }

  @Test
  void linkToAPage_staysALink() throws Exception {
    Path page = Files.writeString(dir.resolve("page.html"), "old");
    Files.createSymbolicLink(file, page);
    PageChoice.Content content = out -> out.write("new".getBytes(UTF_8));
    Destination.replacing(file, main()).write(content);
    assertThat(file).isSymbolicLink();
    assertThat(page).hasContent("new");
  }

  @DisabledOnOs(OS.WINDOWS)
  @Test
  void pageIntoALinkToNothing_isWrittenWhereTheLinkLeads() throws Exception {
    Files.createSymbolicLink(file, Path.of("..", "page.html"));
    PageChoice.Content content = out -> out.write("new".getBytes(UTF_8));
    Destination.replacing(file, main()).write(content);
    assertThat(file).isSymbolicLink();
    assertThat(dir.resolve("page.html")).hasContent("new");
    assertThat(left()).containsExactly("written");
  }

  @DisabledOnOs(OS.WINDOWS)
  @Test
  void exportIntoALinkToNothing_isRefusedAtOnce() throws Exception {
    Path link = Files.createSymbolicLink(dir.resolve("link.csv"), dir.resolve("nowhere"));
    CommandRun run = CommandRun.of("export", "--csv", link.toString(), planted().toString());
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains(link + " already exists.").doesNotContain("meanwhile");
    assertThat(link).isSymbolicLink();
    assertThat(dir.resolve("nowhere")).doesNotExist();
  }

  @DisabledOnOs(OS.WINDOWS)
  @ParameterizedTest
  @ValueSource(strings = {"rw-------", "rw-rw-rw-"})
  void pageThatIsReplaced_keepsItsPermissions(String permissions) throws Exception {
    Files.writeString(file, "old");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    PageChoice.Content content =
        out -> {
          for (String name : left()) {
            assertThat(permissionsOf(folder.resolve(name))).as(name).isEqualTo(permissions);
          }
          assertThat(left()).hasSize(2);
          out.write("new".getBytes(UTF_8));
        };
    Destination.replacing(file, main()).write(content);
    assertThat(file).hasContent("new");
    assertThat(permissionsOf(file)).isEqualTo(permissions);
  }

  private static String permissionsOf(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @DisabledOnOs(OS.WINDOWS)
  @Test
  void pageThatIsReadOnly_isRefused() throws Exception {
    Files.writeString(file, "old");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
    assumeThat(Files.isWritable(file)).as("root may write it").isFalse();
    PageChoice.Content content = out -> out.write("new".getBytes(UTF_8));
    assertThatThrownBy(() -> Destination.replacing(file, main()).write(content))
        .hasMessage("Cannot write " + file + ": no permission for " + file + ".");
    assertThat(file).hasContent("old");
  }

  static boolean isFullThere() {
    return Files.exists(Path.of("/dev/full"));
  }

  @EnabledIf("isFullThere")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "export --csv",
        "export --jaeger",
        "export --perfetto",
        "report --html",
        "merge --output",
      })
  void deviceThatIsFull_isOneLine(String command) throws Exception {
    CommandRun run = CommandRun.of((command + " /dev/full " + planted()).split(" "));
    assertThat(run.err().strip()).isEqualTo("Cannot write /dev/full: No space left on device.");
    assertThat(run.out()).isEmpty();
    assertThat(run.code()).isEqualTo(1);
    assertThat(Path.of("/dev/full")).exists();
  }

  @EnabledIf("isFullThere")
  @ParameterizedTest
  @ValueSource(strings = {"collapsed", "speedscope", "pprof"})
  void deviceThatIsFull_isOneLineForAProfile(String format) throws Exception {
    PlantedProfile.burning(folder, "burning");
    CommandRun run = CommandRun.of("export", "--" + format, "/dev/full", folder.toString());
    assertThat(run.err().strip()).isEqualTo("Cannot write /dev/full: No space left on device.");
    assertThat(run.code()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "--csv,        -,           'run,trace_id,'",
    "--csv,        /dev/stdout, 'run,trace_id,'",
    "--jaeger,     -,           '{\"data\":[{'",
    "--perfetto,   -,           '{\"displayTimeUnit\":'",
  })
  void standardOutput_hasTheExportAlone(String option, String to, String begin) throws Exception {
    CommandRun run = CommandRun.of("export", option, to, planted().toString());
    assertThat(run.code()).isZero();
    assertThat(run.out()).startsWith(begin).doesNotContain("written to");
    assertThat(run.err().strip()).isEqualTo("1 span written to standard output");
    assertThat(Path.of("-")).doesNotExist();
  }

  private Path planted() throws Exception {
    PlantedFile.write(
        folder.resolve("traces.jsonl"),
        Requests.of(List.of(Requests.span(1, 2, 0, "work", 5, 5)), "roll.run_id", "r1"));
    return folder;
  }
}
