package io.rollotel.traces.collector;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;
import org.jspecify.annotations.Nullable;

/**
 * A server's TLS, by the JDK. Checks for renewed files when a connection arrives, every few seconds
 * at most; keeps the old ones if the new ones are not valid. Safe for use by several threads.
 */
final class RenewedTls extends SslContext {

  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final CollectorSettings.Tls files;
  private final UnaryOperator<SslContextBuilder> shape;
  private final Consumer<String> warn;
  private volatile SslContext current;

  // Guarded by this.
  private List<Long> state;
  private @Nullable List<Long> warnedOf;
  private long lookedNanos = System.nanoTime();

  /**
   * TLS with these files.
   *
   * @param shape adds the requirements of the server's protocol
   * @param warn receives a line for invalid renewed files
   * @throws IOException if the files are invalid; the message says what to do
   */
  RenewedTls(
      CollectorSettings.Tls files, UnaryOperator<SslContextBuilder> shape, Consumer<String> warn)
      throws IOException {
    this.files = files;
    this.shape = shape;
    this.warn = warn;
    this.state = state();
    this.current = read();
  }

  private SslContext read() throws IOException {
    List<X509Certificate> chain = PemFiles.certificates(files.certificate());
    PrivateKey key = PemFiles.key(files.key());
    if (!PemFiles.belong(key, chain.get(0))) {
      throw new IOException(
          files.key() + " is not the key of the certificate in " + files.certificate());
    }
    SslContextBuilder builder =
        SslContextBuilder.forServer(key, chain).sslProvider(SslProvider.JDK);
    Path clientCa = files.clientCa();
    if (clientCa != null) {
      builder.trustManager(PemFiles.certificates(clientCa)).clientAuth(ClientAuth.REQUIRE);
    }
    return shape.apply(builder).build();
  }

  /** A different list if a file was rewritten. */
  private List<Long> state() {
    Path clientCa = files.clientCa();
    return List.of(
        changed(files.certificate()),
        changed(files.key()),
        clientCa == null ? 0L : changed(clientCa));
  }

  private static long changed(Path path) {
    File file = path.toFile();
    return 31 * file.lastModified() + file.length();
  }

  /**
   * Reads rewritten files. Files that could not be read are tried again, because they may still be
   * incomplete.
   */
  synchronized void look(long nowNanos) {
    if (nowNanos - lookedNanos < LOOK_NANOS) {
      return;
    }
    lookedNanos = nowNanos;
    try {
      List<Long> found = state();
      if (!found.equals(state)) {
        take(found);
      }
    } catch (OutOfMemoryError e) {
      // Reporting it would take memory.
    }
  }

  private void take(List<Long> found) {
    try {
      current = read();
      state = found;
    } catch (IOException | RuntimeException e) {
      if (!found.equals(warnedOf)) {
        warnedOf = found;
        warn.accept(
            "the new certificate cannot be used; the previous one stays in use: " + e.getMessage());
      }
    }
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator buffers) {
    look(System.nanoTime());
    return current.newEngine(buffers);
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator buffers, String peer, int port) {
    return newEngine(buffers);
  }

  @Override
  public boolean isClient() {
    return false;
  }

  @Override
  public List<String> cipherSuites() {
    return current.cipherSuites();
  }

  @Override
  @SuppressWarnings("deprecation") // Netty's own context must still be requested
  public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
    return current.applicationProtocolNegotiator();
  }

  @Override
  public SSLSessionContext sessionContext() {
    return current.sessionContext();
  }
}
