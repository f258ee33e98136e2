package io.rollotel.traces.collector;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** The sender's side of TLS: the values of OTEL_EXPORTER_OTLP_CERTIFICATE and related variables. */
public final class ClientTls {

  private static final char[] NO_PASSWORD = {};

  private ClientTls() {}

  /**
   * Trusted certificates and the own one.
   *
   * @param trusted a PEM file of certificates, null for the JVM's defaults
   * @param key a PEM file of a private key in PKCS 8, null for none
   * @param chain a PEM file of the certificates that belong to the key, null for none
   * @return null if none is given
   * @throws IOException if a file cannot be read or holds something else; the message names it
   */
  public static @Nullable SSLContext of(
      @Nullable String trusted, @Nullable String key, @Nullable String chain) throws IOException {
    if (trusted == null && (key == null || chain == null)) {
      return null;
    }
    try {
      TrustManagerFactory trust = null;
      if (trusted != null) {
        KeyStore store = empty();
        for (Certificate certificate : PemFiles.certificates(Path.of(trusted))) {
          store.setCertificateEntry(Integer.toString(store.size()), certificate);
        }
        trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
      }
      KeyManagerFactory own = null;
      if (key != null && chain != null) {
        KeyStore store = empty();
        store.setKeyEntry(
            "client",
            PemFiles.key(Path.of(key)),
            NO_PASSWORD,
            PemFiles.certificates(Path.of(chain)).toArray(new Certificate[0]));
        own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(store, NO_PASSWORD);
      }
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          own == null ? null : own.getKeyManagers(),
          trust == null ? null : trust.getTrustManagers(),
          null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException("OTEL_EXPORTER_OTLP_CERTIFICATE and its like: " + e.getMessage(), e);
    }
  }

  private static KeyStore empty() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, NO_PASSWORD);
    return store;
  }
}
