package io.rollotel.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SubmittedJobTest {

  private static final String CACHE =
      "/data/r/session_2026-11-24_21-45/runtime_resources/working_dir_files/_ray_pkg_4a31";

  /** The same as in Python's test_place.py. */
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "'', CACHE, '', -",
        "raysubmit_a1, CACHE, '', /data/r/roll-otel/raysubmit_a1",
        "raysubmit_a1, CACHE/below, '', /data/r/roll-otel/raysubmit_a1",
        "raysubmit_a1, /home, PWD=CACHE, /data/r/roll-otel/raysubmit_a1",
        "raysubmit_a1, /home, '', /tmp/ray/roll-otel/raysubmit_a1",
        "raysubmit_a1, /home, TMPDIR=/t, /t/ray/roll-otel/raysubmit_a1",
        "i, /home, TMPDIR=/t;RAY_TMPDIR=/r, /r/ray/roll-otel/i",
        "a/b c\\u00e9, /home, '', /tmp/ray/roll-otel/a-b-c-u00e9",
        "../x, /home, '', /tmp/ray/roll-otel/-.-x",
      })
  void submittedJob_writesBesideRaysSessions(
      String id, String workingDirectory, String more, @Nullable String expected) {
    Map<String, String> environment = new HashMap<>();
    for (String pair : more.replace("CACHE", CACHE).split(";")) {
      String[] nameAndValue = pair.split("=", 2);
      if (nameAndValue.length == 2) {
        environment.put(nameAndValue[0], nameAndValue[1]);
      }
    }
    environment.put("RAY_JOB_CONFIG_JSON_ENV_VAR", job(id, "{}"));
    assertThat(SubmittedJob.outputDir(environment::get, workingDirectory.replace("CACHE", CACHE)))
        .isEqualTo(expected);
  }

  @Test
  void longId_isCut() {
    assertThat(outputDir(job("x".repeat(200), "{}")))
        .isEqualTo("/tmp/ray/roll-otel/" + "x".repeat(150));
  }

  @Test
  void usersOwnVariableOfThatName_isNotTheJobs() {
    String users = "{\"env_vars\": {\"job_submission_id\": \"users\"}}";
    assertThat(outputDir(job("i", users))).isEqualTo("/tmp/ray/roll-otel/i");
  }

  @Test
  void otherProcess_isNoSubmittedJob() {
    assertThat(SubmittedJob.outputDir(name -> null, CACHE)).isNull();
    assertThat(outputDir("{}")).isNull();
  }

  @Test
  void givenFolder_isTakenInASubmittedJobToo() {
    Map<String, String> environment = new HashMap<>();
    environment.put("RAY_JOB_CONFIG_JSON_ENV_VAR", job("i", "{}"));
    environment.put("RAY_TMPDIR", "/r");
    assertThat(Settings.read(null, environment).outputDir()).isEqualTo("/r/ray/roll-otel/i");
    environment.put("ROLL_OTEL_OUTPUT_DIR", "mine");
    assertThat(Settings.read(null, environment).outputDir()).isEqualTo("mine");
  }

  @Test
  void folderInRaysCache_isRecognised() {
    assertThat(SubmittedJob.isInCache(CACHE + "/output/otlp")).isTrue();
    assertThat(SubmittedJob.isInCache("/data/r/roll-otel/i")).isFalse();
  }

  private static @Nullable String outputDir(String config) {
    return SubmittedJob.outputDir(Map.of("RAY_JOB_CONFIG_JSON_ENV_VAR", config)::get, "/home");
  }

  private static String job(String id, String runtimeEnv) {
    return "{\"runtime_env\": "
        + runtimeEnv
        + ", \"metadata\": {\"job_submission_id\": \""
        + id
        + "\", \"job_name\": \"n\"}}";
  }
}
