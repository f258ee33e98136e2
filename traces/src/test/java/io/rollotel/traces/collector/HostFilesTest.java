package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rollotel.traces.file.RunBytes;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of a run that lie on another host: two directories of one file system. */
class HostFilesTest {

  private static final String LINE =
      "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"roll.run_id\",\"value\":"
          + "{\"stringValue\":\"RUN\"}}]},\"scopeSpans\":[]}]}\n";

  private @TempDir Path there;
  private @TempDir Path home;

  @Test
  void ownFilesOfTheRun_comeWithTheirNames() throws IOException {
    there("second-17.jsonl", "run-1");
    there("second-18.jsonl", "run-1");
    there("second-19.jsonl", "run-2");
    there("notes.txt", "run-1");
    assertThat(unpack(pack(1 << 20))).isEqualTo(new HostFiles.Unpacked(2, 0, 0, there.toString()));
    assertThat(home.resolve("traces"))
        .isDirectoryContaining("glob:**/second-17.jsonl")
        .isDirectoryContaining("glob:**/second-18.jsonl");
    assertThat(namesAtHome()).hasSize(2);
    assertThat(home.resolve("traces/second-17.jsonl")).hasContent(line("run-1"));
    assertThat(there.resolve("traces/second-17.jsonl")).as("stays").exists();
  }

  /** A living process writes to its profile: bytes beyond the header's size are incomplete. */
  @Test
  void profilesOfTheRun_comeAsFarAsTheirHeadersSay() throws IOException {
    profile("second-17.1.jfr", "run-1", 200, 0);
    profile("second-18.3.jfr", "run-1", 70_000, 100);
    profile("second-19.1.jfr", "run-2", 200, 0);
    assertThat(unpack(pack(1 << 20)).files()).isEqualTo(2);
    Path profiles = home.resolve("profiles");
    assertThat(profiles.resolve("second-17.1.jfr"))
        .hasSameBinaryContentAs(there.resolve("profiles/second-17.1.jfr"));
    assertThat(profiles.resolve("second-18.3.jfr")).hasSize(70_000);
    assertThat(profiles.resolve("second-19.1.jfr")).doesNotExist();
  }

  @Test
  void profilesOfManyEarlierRuns_areNotSearched() throws IOException {
    for (int i = 1; i <= 3; i++) {
      profile("second-17." + i + ".jfr", "run-1", 1_000, 0);
      Path file = there.resolve("profiles/second-17." + i + ".jfr");
      assertThat(file.toFile().setLastModified(1_000_000L * i)).isTrue();
    }
    assertThat(HostProfiles.ofRun(there.resolve("profiles"), "run-1", 2_500))
        .extracting(file -> file.getFileName().toString())
        .containsExactlyInAnyOrder("second-17.2.jfr", "second-17.3.jfr");
  }

  @Test
  void profilesBeyondTheRoom_stayAndTracesCome() throws IOException {
    there("second-17.jsonl", "run-1");
    profile("second-17.1.jfr", "run-1", 5_000, 0);
    assertThat(unpack(pack(3_000)))
        .isEqualTo(new HostFiles.Unpacked(1, 1, 5_000, there.toString()));
    assertThat(namesAtHome()).containsExactly("second-17.jsonl");
  }

  /** The run's id lies across two blocks that are read one after the other. */
  private void profile(String name, String runId, int size, int unfinished) throws IOException {
    ByteBuffer chunk = ByteBuffer.allocate(size + unfinished);
    chunk.putLong(8, size);
    chunk.put(Math.min(size - 10, 64 << 10) - 2, runId.getBytes(UTF_8));
    Files.createDirectories(there.resolve("profiles"));
    Files.write(there.resolve("profiles").resolve(name), chunk.array());
  }

  @Test
  void nothingOfTheRun_isNoBytes() throws IOException {
    assertThat(pack(1 << 20)).isEmpty();
    there("second-19.jsonl", "run-2");
    assertThat(pack(1 << 20)).isEmpty();
  }

  @Test
  void directoryThatBothSee_isLeftAlone() throws IOException {
    there("second-17.jsonl", "run-1");
    Files.createFile(there.resolve("traces/.home-1"));
    assertThat(pack(1 << 20)).isEmpty();
  }

  @Test
  void linkToAnotherFile_isNotFollowed() throws IOException {
    there("second-17.jsonl", "run-1");
    Path secret = Files.writeString(there.resolve("secret"), line("run-1"));
    Files.createSymbolicLink(there.resolve("traces/second-18.jsonl"), secret);
    unpack(pack(1 << 20));
    assertThat(namesAtHome()).containsExactly("second-17.jsonl");
  }

  @Test
  void largestFiles_stayWhereTheyAre() throws IOException {
    there("second-17.jsonl", "run-1");
    Path large = there("second-18.jsonl", "run-1");
    Files.writeString(large, line("run-1").repeat(9));
    int length = line("run-1").length();
    assertThat(unpack(pack(3L * length)))
        .isEqualTo(new HostFiles.Unpacked(1, 1, 9L * length, there.toString()));
    assertThat(namesAtHome()).containsExactly("second-17.jsonl");
  }

  @Test
  void fileOfTheSameNameAtHome_stays() throws IOException {
    there("second-17.jsonl", "run-1");
    Files.createDirectories(home.resolve("traces"));
    String sameLength = line("RUN-1");
    Files.writeString(home.resolve("traces/second-17.jsonl"), sameLength);
    assertThat(unpack(pack(1 << 20)).files()).isEqualTo(1);
    assertThat(home.resolve("traces/second-17.jsonl")).hasContent(sameLength);
    assertThat(home.resolve("traces/second-17-2.jsonl")).hasContent(line("run-1"));
    assertThat(unpack(pack(1 << 20)).files()).as("it has come before").isZero();
    assertThat(namesAtHome()).hasSize(2);
  }

  @Test
  void fileBeyondTheRunsLimit_isNotWritten() throws IOException {
    there("second-17.jsonl", "run-1");
    RunBytes ofRun = RunBytes.ofRun(home.toFile(), RunBytes.begin(home.toFile(), 20L));
    byte[] packed = pack(1 << 20);
    assertThatThrownBy(() -> HostFiles.unpack(packed, home, ofRun))
        .isInstanceOf(RunBytes.SpentException.class);
    assertThat(home).isEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "traces/../../x.jsonl",
        "traces/sub/x.jsonl",
        "/traces/x.jsonl",
        "traces/.driver.jsonl",
        "traces/x",
        "traces/x.jsonl/",
        "traces/x\n.jsonl",
        "traces/x\\y.jsonl",
        "metrics/x.jsonl",
        "open/x.rec",
        "open/x.jsonl",
        "x.jsonl",
        "profiles/x.jsonl",
        "profiles/../x.jfr",
        "traces/x.jfr",
      })
  void nameThatIsNoWorkersFile_isRefused(String name) throws IOException {
    byte[] packed = packed(name, 1);
    assertThatThrownBy(() -> unpack(packed))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no file of a worker");
    assertThat(home).isEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, HostFiles.MOST_BYTES + 1, Long.MAX_VALUE})
  void lengthThatCannotBe_isRefused(long length) throws IOException {
    byte[] packed = packed("traces/x.jsonl", length);
    assertThatThrownBy(() -> unpack(packed)).isInstanceOf(IOException.class);
    assertThat(home).isEmptyDirectory();
  }

  @Test
  void bytesThatAreCutOff_leaveNoFile() throws IOException {
    byte[] packed = packed("traces/x.jsonl", 1_000);
    assertThatThrownBy(() -> unpack(packed)).isInstanceOf(IOException.class);
    assertThat(namesAtHome()).isEmpty();
  }

  @Test
  void bytesOfSomethingElse_areRefused() {
    assertThatThrownBy(() -> unpack(new byte[] {1, 2, 3})).isInstanceOf(IOException.class);
  }

  private Path there(String name, String runId) throws IOException {
    Path file = there.resolve("traces").resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, line(runId));
  }

  private static String line(String runId) {
    return LINE.replace("RUN", runId);
  }

  private byte[] pack(long mostBytes) throws IOException {
    return HostFiles.pack(there, "run-1", ".home-1", 0, line -> {}, mostBytes);
  }

  private HostFiles.Unpacked unpack(byte[] packed) throws IOException {
    return HostFiles.unpack(packed, home, RunBytes.UNLIMITED);
  }

  /** A file of one byte, whatever its stated length. */
  private static byte[] packed(String name, long length) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(packed))) {
      out.writeInt(0x524f4c46);
      out.writeUTF("/there");
      out.writeUTF(name);
      out.writeLong(length);
      out.writeByte('x');
    }
    return packed.toByteArray();
  }

  private List<String> namesAtHome() {
    String[] names = home.resolve("traces").toFile().list();
    return names == null ? List.of() : List.of(names);
  }
}
