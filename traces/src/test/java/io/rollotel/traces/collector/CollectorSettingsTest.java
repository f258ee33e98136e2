package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.settings.Setting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CollectorSettingsTest {

  private final List<String> complaints = new ArrayList<>();

  @ParameterizedTest
  @CsvSource({"1000, 1000", "64k, 65536", "1MiB, 1048576", "2 GB, 2147483648", "0, 0"})
  void bytes_haveUnits(String value, long bytes) {
    assertThat(read("FILE_MAX_BYTES", value).rules().maxBytes()).isEqualTo(bytes);
    assertThat(complaints).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "FILE_MAX_BYTES, much",
    "MAX_REQUEST_BYTES, 65m",
    "MAX_CONNECTIONS, 0",
    "GRPC_PORT, 65536",
    "COLLECTOR, tempo",
    "MAX_STREAMS, -1",
    "REQUEST_TIMEOUT, soon",
    "FSYNC, maybe",
    "UI, window",
    "FILE_GZIP, 2",
    "FILE_MAX_LINES, 1.5",
    "MAX_IN_FLIGHT_BYTES, 99999999999999999999"
  })
  void malformedValue_isOneLineAndTheDefaultHolds(String name, String value) {
    CollectorSettings settings = read(name, value);
    assertThat(settings).isEqualTo(CollectorSettings.ofDriver());
    assertThat(complaints).hasSize(1);
    assertThat(complaints.get(0)).startsWith("ROLL_OTEL_" + name + "=" + value + " is not under");
  }

  @ParameterizedTest
  @CsvSource({
    "64m, , 64, 96, 0",
    "1m, , 1, 24, 0",
    "1m, 2m, 1, 2, 0",
    "32m, 40m, 32, 48, 1",
    ", 1m, 16, 24, 1",
  })
  void largestRequest_hasRoomAmongThoseInFlight(
      @Nullable String request, @Nullable String inFlight, int requestMib, int mib, int told) {
    CollectorSettings.Limits limits =
        CollectorSettings.read(
                name ->
                    switch (name) {
                      case "MAX_REQUEST_BYTES" -> request;
                      case "MAX_IN_FLIGHT_BYTES" -> inFlight;
                      default -> null;
                    },
                complaints::add)
            .limits();
    assertThat(limits.maxRequestBytes()).isEqualTo(requestMib << 20);
    assertThat(limits.maxInFlightBytes()).isEqualTo((long) mib << 20);
    assertThat(complaints).hasSize(told).allMatch(line -> line.contains("is too little for"));
  }

  @Test
  void everyName_isRead() {
    Map<String, String> values =
        Map.of(
            "REQUEST_TIMEOUT",
            "500ms",
            "FSYNC",
            "on",
            "GRPC_PORT",
            "none",
            "FILE_MAX_LINES",
            "500",
            "UI",
            "off");
    List<String> asked = new ArrayList<>();
    CollectorSettings settings =
        CollectorSettings.read(
            name -> {
              asked.add(name);
              return values.get(name);
            },
            complaints::add);
    assertThat(asked)
        .containsExactlyInAnyOrderElementsOf(
            CollectorTable.entries().stream().map(Setting::name).toList());
    assertThat(settings.limits().requestTimeoutMillis()).isEqualTo(500);
    assertThat(settings.rules().isFsync()).isTrue();
    assertThat(settings.rules().maxLines()).isEqualTo(500);
    assertThat(settings.grpcPort()).isEqualTo(CollectorSettings.NONE);
    assertThat(settings.page().isServed()).isFalse();
  }

  @Test
  void nothingGiven_areTheDefaultsOfTheFile() {
    assertThat(CollectorSettings.ofDriver().rules()).isEqualTo(FileRules.DEFAULT);
    assertThat(CollectorSettings.ofDriver().grpcPort()).as("any").isZero();
  }

  @Test
  void inFlight_isComplainedOfAlone() {
    assertThat(read("MAX_IN_FLIGHT_BYTES", "much").limits())
        .isEqualTo(CollectorSettings.ofDriver().limits());
    assertThat(complaints)
        .containsExactly(
            "ROLL_OTEL_MAX_IN_FLIGHT_BYTES=much is not understood; it takes a number of bytes such"
                + " as 1000000 or 64m, 1099511627776 at most");
  }

  private CollectorSettings read(String wanted, String value) {
    return CollectorSettings.read(name -> name.equals(wanted) ? value : null, complaints::add);
  }

  @Test
  void certificateForADriver_isNotTakenAndSaid() {
    Map<String, String> given = Map.of("TLS_CERT", "a.crt", "TLS_KEY", "a.key");
    List<String> complaints = new ArrayList<>();
    assertThat(CollectorSettings.read(given::get, complaints::add).tls()).isNull();
    assertThat(complaints).singleElement().asString().contains("TLS_CERT", "for collect");
  }

  @ParameterizedTest
  @CsvSource({
    "     ,      ,      ,      ,     , none",
    "a.crt, a.key,      ,      ,     , a.crt a.key null",
    "     ,      , b.crt, b.key, b.ca, b.crt b.key b.ca",
    "a.crt,      , b.crt, b.key, b.ca, a.crt b.key b.ca",
    "a.crt,      ,      , b.key,     , a.crt b.key null",
    "     ,      , b.crt,      ,     , half",
    "     ,      ,      , b.key,     , half",
    "     ,      ,      ,      , b.ca, half",
    "a.crt,      , b.crt,      , b.ca, half"
  })
  void encryption_isOfOptionsAndSettingsTogether(
      @Nullable String certificateOption,
      @Nullable String keyOption,
      @Nullable String certificate,
      @Nullable String key,
      @Nullable String clientCa,
      String expected) {
    Map<String, String> given = new HashMap<>();
    given.put("TLS_CERT", certificate);
    given.put("TLS_KEY", key);
    given.put("TLS_CLIENT_CA", clientCa);
    CollectorSettings.TlsParts parts =
        new CollectorSettings.TlsParts(path(certificateOption), path(keyOption), null)
            .or(CollectorSettings.readTls(given::get, complaints::add));
    CollectorSettings.Tls whole = parts.whole();
    String found =
        whole != null
            ? whole.certificate() + " " + whole.key() + " " + whole.clientCa()
            : parts.isEmpty() ? "none" : "half";
    assertThat(found).isEqualTo(expected);
    assertThat(complaints).isEmpty();
  }

  private static @Nullable Path path(@Nullable String name) {
    return name == null ? null : Path.of(name);
  }
}
