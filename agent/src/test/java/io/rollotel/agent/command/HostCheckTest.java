package io.rollotel.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostCheckTest {

  @ParameterizedTest
  @CsvSource({"11, FAIL", "1.8, FAIL", "17, OK", "25, OK"})
  void java_isJudged(String version, Finding.Grade grade) {
    assertThat(HostCheck.java(version).grade()).isEqualTo(grade);
  }

  @ParameterizedTest
  @CsvSource({
    // the user's limit; the limit in force; the line
    ", 0, 'ok    output     /out'",
    "0, 0, 'ok    output     /out'",
    ", 2147483648, 'ok    output     /out; a run may write 2.0 GiB (ROLL_OTEL_RUN_BYTES)'",
    "20971520, 20971520, 'ok    output     /out; a run may write 20.0 MiB (ROLL_OTEL_RUN_BYTES)'",
    ", 20971520, 'warn  output     /out; a run may write 20.0 MiB (ROLL_OTEL_RUN_BYTES): free some"
        + " space, or set ROLL_OTEL_OUTPUT_DIR'",
    "1073741824, 1024, 'warn  output     /out; a run may write 1.0 KiB (ROLL_OTEL_RUN_BYTES): free"
        + " some space, or set ROLL_OTEL_OUTPUT_DIR'"
  })
  void diskWithRoom_isOkAndAnAlmostFullOneIsAWarning(
      @Nullable Long given, long limitBytes, String line) {
    assertThat(HostCheck.room("/out", given, limitBytes).line()).isEqualTo(line);
  }
}
