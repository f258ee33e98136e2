package io.rollotel.traces.export;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Json;
import io.rollotel.traces.profile.Frame;
import java.io.ByteArrayOutputStream;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpeedscopeExportTest {

  @Test
  void halfASurrogatePair_becomesAQuestionMark() {
    ProfiledStack stack = new ProfiledStack(List.of(new Frame("generate \ud83d", 0)), 5);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new SpeedscopeExport(List.of(stack)).write("run a\ud83d", out);
    assertThat(Json.parse(out.toString(UTF_8)).toString()).contains("name=run a?", "generate ?");
  }
}
