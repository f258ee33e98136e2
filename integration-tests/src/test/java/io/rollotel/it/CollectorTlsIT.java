package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.CollectProcess;
import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.it.kit.TlsFront.Identity;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code collect} with certificates, and the agent that trusts them. */
class CollectorTlsIT {

  private @TempDir Path directory;
  private Identity server;
  private Identity client;

  @BeforeEach
  void makeIdentities() throws Exception {
    server = Identity.make(directory, "server");
    client = Identity.make(directory, "client");
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(strings = {"grpc", "http/protobuf"})
  void workerWithTheCertificates_deliversAndDoctorSaysSo(String protocol) throws Exception {
    Path elsewhere = directory.resolve("elsewhere");
    try (CollectProcess collector =
        CollectProcess.startEncrypted(
            elsewhere, options(server, "--client-ca=" + client.certificatePem()))) {
      Result result = worker(protocol, collector).run().isClean();
      assertThat(Result.spans(elsewhere)).hasSize(2);
      assertThat(result.directory().resolve("output/otlp/traces")).doesNotExist();

      Result doctor =
          worker(protocol, collector).withoutAgent().jar(ProgramRun.AGENT, "doctor").run();
      assertThat(doctor.lines())
          .anyMatch(
              line -> line.matches("ok    export     https://.* accepted an empty request.*"));

      Path kept = Files.createDirectory(directory.resolve("kept"));
      try (Stream<Path> files = Files.list(elsewhere.resolve("traces"))) {
        for (Path file : files.toList()) {
          Files.copy(file, kept.resolve(file.getFileName()));
        }
      }
      Result replay =
          worker(protocol, collector)
              .withoutAgent()
              .jar(ProgramRun.AGENT, "replay", kept.toString())
              .run();
      assertThat(replay.out()).as(replay.err()).contains("2 spans sent to https://");
    }
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(strings = {"grpc", "http/protobuf"})
  void workerWhoseCertificateIsOfAnother_isNotLetIn(String protocol) throws Exception {
    Path elsewhere = directory.resolve("elsewhere");
    Identity another = Identity.make(directory, "another");
    try (CollectProcess collector =
        CollectProcess.startEncrypted(
            elsewhere, options(server, "--client-ca=" + another.certificatePem()))) {
      Result result = worker(protocol, collector).run();
      assertThat(result.exitCode()).isZero();
      assertThat(result.spans()).hasSize(2);
      assertThat(Result.spans(elsewhere)).isEmpty();
    }
  }

  @Tag("campaign")
  @Test
  void renewedCertificate_isTakenUpAndABrokenOneIsNot() throws Exception {
    Identity next = Identity.make(directory, "next");
    try (CollectProcess collector =
        CollectProcess.startEncrypted(directory.resolve("elsewhere"), options(server))) {
      assertThat(subject(collector.grpcPort())).isEqualTo("CN=server");
      // Broken first: the key alone is renewed.
      renew(next.keyPem(), server.keyPem(), 1);
      assertThat(subject(collector.grpcPort())).isEqualTo("CN=server");
      renew(next.certificatePem(), server.certificatePem(), 2);
      for (int port : List.of(collector.grpcPort(), collector.httpPort())) {
        String subject = "CN=server";
        while (subject.equals("CN=server")) {
          subject = subject(port);
        }
        assertThat(subject).isEqualTo("CN=next");
      }
    }
  }

  private static void renew(Path from, Path to, int minutes) throws Exception {
    Files.write(to, Files.readAllBytes(from));
    FileTime later = FileTime.fromMillis(System.currentTimeMillis() + 60_000L * minutes);
    Files.setLastModifiedTime(to, later);
  }

  /** Whose certificate is shown. */
  private static String subject(int port) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new Trusting()}, null);
    try (SSLSocket socket =
        (SSLSocket)
            context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)) {
      socket.startHandshake();
      return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
          .getSubjectX500Principal()
          .getName();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          none.crt   | server.key | there is no file
          server.crt | none.key   | there is no file
          server.key | server.key | holds no certificate in PEM
          server.crt | server.crt | holds no private key in PEM
          server.crt | client.key | is not the key of the certificate in
          server.crt | old.key    | openssl pkcs8 -topk8 -nocrypt
          server.crt | locked.key | openssl pkcs8 -topk8 -nocrypt
          """)
  void filesThatAreNotGood_endTheStartWithWhatToDo(String certificate, String key, String said)
      throws Exception {
    String pem = Files.readString(server.keyPem());
    Files.writeString(directory.resolve("old.key"), pem.replace(" PRIVATE", " RSA PRIVATE"));
    Files.writeString(
        directory.resolve("locked.key"), pem.replace(" PRIVATE", " ENCRYPTED PRIVATE"));
    Result result =
        ProgramRun.of(directory, PlainWorker.class)
            .withoutAgent()
            .jar(
                ProgramRun.AGENT,
                "collect",
                "--http=0",
                "--grpc=0",
                "--dir=" + directory.resolve("elsewhere"),
                "--tls-cert=" + directory.resolve(certificate),
                "--tls-key=" + directory.resolve(key))
            .run();
    assertThat(result.exitCode()).isNotZero();
    assertThat(result.err()).contains(said);
  }

  /** Blank is what a shell gives for a variable of its own that is not set. */
  @ParameterizedTest
  @CsvSource({
    "server.crt, ' ', --gzip",
    "' ', server.key, --gzip",
    "' ', ' ', --tls-cert=server.crt",
    "' ', ' ', --client-ca=server.crt"
  })
  void halfOfWhatEncryptionTakes_endsTheStart(String certificate, String key, String option)
      throws Exception {
    Result result =
        ProgramRun.of(directory, PlainWorker.class)
            .withoutAgent()
            .environment("ROLL_OTEL_TLS_CERT", certificate)
            .environment("ROLL_OTEL_TLS_KEY", key)
            .jar(ProgramRun.AGENT, "collect", "--http=0", "--dir=elsewhere", option)
            .run();
    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("Encryption takes both");
  }

  @Test
  void certificateByOption_goesWithAKeyByTheEnvironment() throws Exception {
    try (LiveProgram collector =
        ProgramRun.of(directory, PlainWorker.class)
            .withoutAgent()
            .environment("ROLL_OTEL_TLS_KEY", server.keyPem().toString())
            .jar(
                ProgramRun.AGENT,
                "collect",
                "--http=0",
                "--dir=elsewhere",
                "--tls-cert=" + server.certificatePem())
            .start()) {
      int port = Integer.parseInt(collector.await("OTLP/HTTP on https://127.0.0.1:"));
      assertThat(subject(port)).isEqualTo("CN=server");
    }
  }

  private static List<String> options(Identity shown, String... more) {
    List<String> options = new ArrayList<>();
    options.add("--tls-cert=" + shown.certificatePem());
    options.add("--tls-key=" + shown.keyPem());
    options.addAll(List.of(more));
    return options;
  }

  private ProgramRun worker(String protocol, CollectProcess collector) {
    return ProgramRun.of(directory, PlainWorker.class)
        .environment("ROLL_OTEL_EXIT_TIMEOUT", "50")
        .environment("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
        .environment("OTEL_EXPORTER_OTLP_ENDPOINT", "https://127.0.0.1:" + collector.port(protocol))
        .environment("OTEL_EXPORTER_OTLP_CERTIFICATE", server.certificatePem().toString())
        .environment("OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY", client.keyPem().toString())
        .environment(
            "OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE", client.certificatePem().toString());
  }

  private static final class Trusting implements X509TrustManager {

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
