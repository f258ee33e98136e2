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
}
