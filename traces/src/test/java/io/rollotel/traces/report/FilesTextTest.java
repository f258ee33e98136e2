package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a report names files and directories. */
@DisabledOnOs(OS.WINDOWS)
class FilesTextTest {

  @ParameterizedTest
  @CsvSource({
    "hdfs://namenode:8020/otlp/run, hdfs://namenode:8020/otlp/run",
    "s3a://bucket/otlp, s3a://bucket/otlp",
    "/otlp/run, /otlp/run",
    "/otlp/../run, /run",
    "/a:/b, /a:/b",
  })
  void place_isNamedAsTheUserGaveIt(String given, String named) {
    assertThat(FilesText.places(List.of(Path.of(given)))).isEqualTo(named);
    assertThat(FilesText.shown(Path.of(given))).isEqualTo(given);
  }
}
