package io.rollotel.traces.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import org.junit.jupiter.api.Test;

class FileNamesTest {

  @Test
  void nameThatTheJvmCanUse_isNotRefused() {
    assertThat(FileNames.refusal(new File("output/otlp"))).isNull();
  }

  @Test
  void nameThatTheJvmCannotUse_isRefusedWithTheEncoding() {
    assertThat(FileNames.refusal(new File("no\0name")))
        .contains("name has characters")
        .contains(System.getProperty("sun.jnu.encoding"))
        .contains("LC_ALL=C.UTF-8");
  }
}
