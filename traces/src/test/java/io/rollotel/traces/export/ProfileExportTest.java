package io.rollotel.traces.export;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.rollotel.traces.kit.PlantedProfile;
import io.rollotel.traces.report.ReportOptions;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of a run whose recordings Flight Recorder has made in this JVM. */
class ProfileExportTest {

  private @TempDir Path directory;

  @BeforeEach
  void plant() throws Exception {
    PlantedProfile.burning(directory, "burning");
  }

  private byte[] export(ProfileExport.Format format) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ProfileExport.read(List.of(directory), ReportOptions.latestRun())
        .write(format, new ProfileExport.Selection("generate", null, null, false), out);
    return out.toByteArray();
  }

  /** By profile.proto: 4 are locations, 5 functions, 6 texts; in a location 4 are its lines. */
  @Test
  void pprof_hasTheLinesOfEachMethodAndTheMethodOnce() throws Exception {
    UnknownFieldSet profile =
        UnknownFieldSet.parseFrom(
            new GZIPInputStream(new ByteArrayInputStream(export(ProfileExport.Format.PPROF))));
    List<ByteString> texts = profile.getField(6).getLengthDelimitedList();
    Map<Long, String> functions = new HashMap<>();
    for (ByteString function : profile.getField(5).getLengthDelimitedList()) {
      UnknownFieldSet fields = UnknownFieldSet.parseFrom(function);
      functions.put(
          fields.getField(1).getVarintList().get(0),
          texts.get(fields.getField(2).getVarintList().get(0).intValue()).toStringUtf8());
    }
    assertThat(functions.values()).doesNotHaveDuplicates();
    Map<String, Integer> lines = new HashMap<>();
    for (ByteString location : profile.getField(4).getLengthDelimitedList()) {
      UnknownFieldSet line =
          UnknownFieldSet.parseFrom(
              UnknownFieldSet.parseFrom(location).getField(4).getLengthDelimitedList().get(0));
      if (line.hasField(2)) {
        String function = functions.get(line.getField(1).getVarintList().get(0));
        lines.merge(function.substring(function.lastIndexOf('.') + 1), 1, Integer::sum);
      }
    }
    assertThat(lines).containsKey("burn").doesNotContainKey("generate");
  }

  @Test
  void collapsed_hasEachStackOfMethodsOnce() throws Exception {
    String collapsed = new String(export(ProfileExport.Format.COLLAPSED), UTF_8);
    assertThat(collapsed.lines().map(line -> line.substring(0, line.lastIndexOf(' '))))
        .doesNotHaveDuplicates()
        .anyMatch(stack -> stack.startsWith("generate;") && stack.endsWith("PlantedProfile.burn"));
  }
}
