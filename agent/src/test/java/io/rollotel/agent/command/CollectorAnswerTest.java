package io.rollotel.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.collector.GrpcClient;
import io.rollotel.traces.otlp.PartialSuccess;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CollectorAnswerTest {

  private static final long NOW_EPOCH_MILLIS = 1_764_000_000_500L;

  @ParameterizedTest
  @CsvSource({
    "200, OK, accepted an empty request",
    "202, OK, accepted an empty request",
    "401, FAIL, check OTEL_EXPORTER_OTLP_HEADERS",
    "404, FAIL, is it the base URL",
    "415, FAIL, it takes no http/protobuf",
    "503, FAIL, answers 503"
  })
  void answer_isJudged(int status, Finding.Grade grade, String text) {
    Finding finding = CollectorAnswer.judged(status, "http://collector:4318/v1/traces");
    assertThat(finding.grade()).isEqualTo(grade);
    assertThat(finding.detail()).contains("http://collector:4318/v1/traces").contains(text);
  }

  @Test
  void endpointWithThePath_isToldToLeaveItOut() {
    assertThat(CollectorAnswer.judged(404, "http://c:4318/v1/traces/v1/traces").detail())
        .endsWith(": leave out /v1/traces, which the agent adds");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "https | PKIX path building failed: unable to find valid path | OTEL_EXPORTER_OTLP_CERTIFICATE",
        "https | Unsupported or unrecognized SSL message | write http://",
        "https | Unrecognized SSL message, plaintext connection? | write http://",
        "http | HTTP/1.1 header parser received no bytes | write https://",
        "https | Received fatal alert: bad_certificate | OTEL_EXPORTER_OTLP_CLIENT_KEY",
        "https | Received fatal alert: certificate_required | OTEL_EXPORTER_OTLP_CLIENT_KEY",
        "https | No name matching c found | into the endpoint",
        "https | No subject alternative DNS name matching c found. | into the endpoint",
        "http | Connection refused | is the collector running?",
        "https | Connection refused | is the collector running?",
      })
  void failureToConnect_saysWhatToDo(String scheme, String message, String advice) {
    Finding finding =
        CollectorAnswer.unanswered(new IOException(message), scheme + "://c:4318/v1/traces");
    assertThat(finding.grade()).isEqualTo(Finding.Grade.FAIL);
    assertThat(finding.detail()).contains(message).endsWith(advice);
  }

  @Test
  void failureToConnectByGrpc_isNoAnswer() {
    Exception refused = new IOException("No name matching c found");
    GrpcClient.Answer answer =
        new GrpcClient.Answer(
            14,
            "UNAVAILABLE: io exception",
            new RuntimeException("io exception", refused),
            false,
            PartialSuccess.NONE);
    assertThat(CollectorAnswer.judgedGrpc(answer, "https://c:4317").detail())
        .startsWith("https://c:4317 does not answer (No name matching c found): its certificate");
  }

  @Test
  void answerByGrpcOfSeveralLines_isItsFirst() {
    GrpcClient.Answer answer =
        new GrpcClient.Answer(
            14, "UNAVAILABLE: no ALPN\nChannel Pipeline: []", null, false, PartialSuccess.NONE);
    assertThat(CollectorAnswer.judgedGrpc(answer, "https://c:4317").detail())
        .isEqualTo(
            "https://c:4317 answers UNAVAILABLE: no ALPN: is an OTLP/gRPC receiver running there?");
  }

  @ParameterizedTest
  @CsvSource({
    "0, OK, agrees",
    "-1, OK, agrees",
    "1, OK, agrees",
    "3, WARN, '2 s ahead'",
    "-120, WARN, '120 s behind'"
  })
  void clock_isComparedToTheSecond(long seconds, Finding.Grade grade, String text) {
    Instant theirs = Instant.ofEpochMilli(NOW_EPOCH_MILLIS).plusSeconds(seconds);
    String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(theirs.atOffset(ZoneOffset.UTC));
    Finding finding =
        CollectorAnswer.clock(Optional.of(date), NOW_EPOCH_MILLIS, NOW_EPOCH_MILLIS + 10)
            .orElseThrow();
    assertThat(finding.grade()).isEqualTo(grade);
    assertThat(finding.detail()).contains(text);
  }

  @Test
  void noDate_saysNothingOfTheClock() {
    assertThat(CollectorAnswer.clock(Optional.empty(), 0, 0)).isEmpty();
    assertThat(CollectorAnswer.clock(Optional.of("yesterday"), 0, 0)).isEmpty();
  }
}
