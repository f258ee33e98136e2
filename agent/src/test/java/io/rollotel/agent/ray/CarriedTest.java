package io.rollotel.agent.ray;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CarriedTest {

  private static final String TRACEPARENT =
      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  @ParameterizedTest
  @ValueSource(strings = {"JAVA", "XLANG", "RAW", "ACTOR_HANDLE"})
  void context_standsBehindTheTypeAndIsFoundAgain(String type) {
    byte[] metadata = type.getBytes(US_ASCII);
    assertThat(Carried.hasRoom(metadata)).isTrue();
    Carried carried = new Carried(TRACEPARENT, 1_795_295_370_421_000_000L, "monday");

    byte[] behind = carried.behind(metadata);

    assertThat(new String(behind, US_ASCII).split(",")[0]).isEqualTo(type);
    assertThat(Carried.of(behind)).isEqualTo(carried);
    assertThat(Carried.hasRoom(behind)).as("for a second context").isFalse();
    assertThat(new String(metadata, US_ASCII)).as("shared by all values").isEqualTo(type);
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "null",
      value = {
        "JAVA, null, 0, null",
        "'', null, 0, null",
        "3, null, 0, null",
        "'PYTHON,DEBUG:1', null, 0, null",
        "'JAVA,tp=-,at=5', -, 5, null",
        "'JAVA,tp=x', x, 0, null",
        "'JAVA,tp=x,at=', x, 0, null",
        "'JAVA,tp=x,at=soon', x, 0, null",
        "'JAVA,tp=x,at=5,run=r-1', x, 5, r-1",
        "'JAVA,tp=x,at=5,run=', x, 5, null",
        "'JAVA,tp=x,at=5,run=a b', x, 5, null",
        "'JAVA,tp=x,run=r', x, 0, r",
        "'JAVA,tp=x,at=-5', x, 0, null",
        "'JAVA,tp=x,at=99999999999999999999', x, 0, null",
      })
  void metadata_isReadOrIgnored(
      String metadata, String traceparent, long sentAt, @Nullable String runId) {
    Carried carried = Carried.of(metadata.getBytes(US_ASCII));
    if (traceparent == null) {
      assertThat(carried).isNull();
    } else {
      assertThat(carried).isEqualTo(new Carried(traceparent, sentAt, runId));
    }
  }

  @Test
  void metadataThatIsTooLong_isNotOurs() {
    assertThat(Carried.of(("JAVA,tp=" + "x".repeat(1000)).getBytes(US_ASCII))).isNull();
    assertThat(Carried.of(null)).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "com.acme.Jobs$Rank, step, (I)I, '', true, Jobs.Rank.step ray.remote",
    "com.acme.Rank, <init>, ()V, '', true, Rank.<init> ray.remote",
    "Rank, step, '', '', true, Rank.step ray.remote",
    "acme.jobs, '', step, '', false, jobs.step ray.remote",
    "acme.jobs, Rank, step, '', false, Rank.step ray.remote",
  })
  void call_isNamedByClassAndMethod(
      String a, String b, String c, String d, boolean isJava, String name) {
    List<String> names = isJava ? List.of(a, b, c) : List.of(a, b, c, d);
    assertThat(RayFunction.of(names, isJava).sent).isEqualTo(name);
  }
}
