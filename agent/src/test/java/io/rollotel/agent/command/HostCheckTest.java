package io.rollotel.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

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
    // the limit in force; what is free; the line
    "0, 1073741824, 'ok    output     /out'",
    "2147483648, 4294967296, 'ok    output     /out; a run may write 2.0 GiB (ROLL_OTEL_RUN_BYTES)'",
    "20971520, 1073741824, 'ok    output     /out; a run may write 20.0 MiB (ROLL_OTEL_RUN_BYTES)'",
    "1024, 2048, 'warn  output     /out; its disk has 2.0 KiB left: free some space, or set"
        + " ROLL_OTEL_OUTPUT_DIR'",
    "53687091200, 0, 'warn  output     /out; its disk has 0 B left: free some space, or set"
        + " ROLL_OTEL_OUTPUT_DIR'"
  })
  void diskWithRoom_isOkAndAnAlmostFullOneIsAWarning(long limitBytes, long freeBytes, String line) {
    assertThat(HostCheck.room("/out", limitBytes, freeBytes).line()).isEqualTo(line);
  }
}
