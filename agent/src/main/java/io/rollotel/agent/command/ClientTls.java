package io.rollotel.agent.command;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** What OTEL_EXPORTER_OTLP_CERTIFICATE and its like say, for a check without the SDK. */
final class ClientTls {

  private static final char[] NO_PASSWORD = {};

  private ClientTls() {}

  /**
   * What to trust and to show.
   *
   * @param trusted a PEM file of certificates, null for the JVM's own
   * @param key a PEM file of a private key in PKCS 8, null for none
   * @param chain a PEM file of the certificates that belong to the key, null for none
   * @return null where none is given
   * @throws IOException if a file cannot be read or holds something else; says which
   */
  static @Nullable SSLContext of(
      @Nullable String trusted, @Nullable String key, @Nullable String chain) throws IOException {
    if (trusted == null && (key == null || chain == null)) {
      return null;
    }
    try {
      TrustManagerFactory trust = null;
      if (trusted != null) {
        KeyStore store = empty();
        for (Certificate certificate : certificates(trusted)) {
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
            privateKey(key),
            NO_PASSWORD,
            certificates(chain).toArray(new Certificate[0]));
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

  private static List<Certificate> certificates(String file)
      throws GeneralSecurityException, IOException {
    byte[] pem = Files.readAllBytes(Path.of(file));
    return List.copyOf(
        CertificateFactory.getInstance("X.509")
            .generateCertificates(new ByteArrayInputStream(pem)));
  }

  private static PrivateKey privateKey(String file) throws GeneralSecurityException, IOException {
    String text = Files.readString(Path.of(file), US_ASCII).replaceAll("-----[A-Z ]+-----", "");
    PKCS8EncodedKeySpec encoded = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(text));
    for (String algorithm : List.of("RSA", "EC")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
      } catch (InvalidKeySpecException another) {
        // and on to the next
      }
    }
    return KeyFactory.getInstance("EdDSA").generatePrivate(encoded);
  }
}
