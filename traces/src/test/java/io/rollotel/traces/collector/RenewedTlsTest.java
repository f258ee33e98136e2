package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.KeyStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RenewedTlsTest {

  private static final String PASSWORD = "changeit";

  @TempDir Path dir;
  private final List<String> warnings = new ArrayList<>();

  /** The errors to throw while the files are read, in this order. */
  private final Deque<Throwable> failures = new ArrayDeque<>();

  private int readings;

  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(new IllegalStateException("too many open files"), 1),
        Arguments.of(new OutOfMemoryError("of the test"), 0));
  }

  @Tag("campaign")
  @ParameterizedTest
  @MethodSource("failures")
  void renewalThatFailsForAWhile_isTriedAgainAndSaidOnce(Throwable failure, int said)
      throws Exception {
    CollectorSettings.Tls files = files();
    RenewedTls tls = new RenewedTls(files, this::shape, warnings::add);
    Files.setLastModifiedTime(files.certificate(), FileTime.fromMillis(1));
    failures.add(failure);
    failures.add(failure);
    long nowNanos = System.nanoTime();
    List<Integer> seen = new ArrayList<>();
    for (int look = 0; look < 5; look++) {
      nowNanos += TimeUnit.SECONDS.toNanos(4);
      tls.look(nowNanos);
      tls.look(nowNanos + 1); // too early
      seen.add(readings);
    }
    assertThat(seen).as("two fail, the third is good").containsExactly(2, 3, 4, 4, 4);
    assertThat(warnings).hasSize(said).allMatch(line -> line.contains("too many open files"));
  }

  private SslContextBuilder shape(SslContextBuilder usual) {
    readings++;
    Throwable failure = failures.poll();
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure != null) {
      throw (RuntimeException) failure;
    }
    return usual;
  }

  /** A certificate and its key, made with the JDK's tool. */
  private CollectorSettings.Tls files() throws Exception {
    Path store = dir.resolve("server.p12");
    Process made =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                "server",
                "-dname",
                "CN=server",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                store.toString())
            .inheritIO()
            .start();
    assertThat(made.waitFor()).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return new CollectorSettings.Tls(
        pem("CERTIFICATE", keys.getCertificate("server").getEncoded()),
        pem("PRIVATE KEY", keys.getKey("server", PASSWORD.toCharArray()).getEncoded()),
        null);
  }

  private Path pem(String what, byte[] content) throws IOException {
    String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    return Files.writeString(
        dir.resolve(what),
        "-----BEGIN " + what + "-----\n" + lines + "\n-----END " + what + "-----\n");
  }
}
