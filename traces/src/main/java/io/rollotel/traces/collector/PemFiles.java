package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.rollotel.traces.otlp.ReadFailure;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Certificates and keys as openssl writes them. Errors name the file. */
final class PemFiles {

  private static final Pattern KEY =
      Pattern.compile("-----BEGIN ([A-Z ]*)PRIVATE KEY-----([^-]*)-----END");

  private PemFiles() {}

  /** All certificates of a file; at least one. */
  static List<X509Certificate> certificates(Path file) throws IOException {
    try {
      List<X509Certificate> all =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(bytes(file)))
              .stream()
              .map(X509Certificate.class::cast)
              .toList();
      if (!all.isEmpty()) {
        return all;
      }
    } catch (CertificateException e) {
      throw new IOException(file + " holds no certificate in PEM: " + e.getMessage(), e);
    }
    throw new IOException(file + " holds no certificate in PEM");
  }

  /** The private key in a file, in PKCS 8 and not encrypted. */
  static PrivateKey key(Path file) throws IOException {
    Matcher key = KEY.matcher(new String(bytes(file), ISO_8859_1));
    if (!key.find()) {
      throw new IOException(file + " holds no private key in PEM");
    }
    if (!key.group(1).isEmpty()) {
      throw new IOException(
          file
              + " holds a key in another form, '"
              + key.group(1).trim()
              + "': openssl pkcs8 -topk8 -nocrypt -in "
              + file
              + " -out NEW makes one that can be read");
    }
    try {
      return key(Base64.getMimeDecoder().decode(key.group(2)));
    } catch (IllegalArgumentException | GeneralSecurityException e) {
      throw new IOException(file + " holds a key that cannot be read: " + e.getMessage(), e);
    }
  }

  private static PrivateKey key(byte[] encoded) throws GeneralSecurityException {
    PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(encoded);
    for (String algorithm : List.of("RSA", "EC")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(spec);
      } catch (InvalidKeySpecException another) {
        // continue with the next
      }
    }
    return KeyFactory.getInstance("EdDSA").generatePrivate(spec);
  }

  /** Whether the key belongs to the certificate: the key signs, the certificate verifies. */
  static boolean belong(PrivateKey key, X509Certificate certificate) {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> "EdDSA";
        };
    try {
      Signature signing = Signature.getInstance(algorithm);
      signing.initSign(key);
      signing.update((byte) 1);
      byte[] signature = signing.sign();
      Signature checking = Signature.getInstance(algorithm);
      checking.initVerify(certificate.getPublicKey());
      checking.update((byte) 1);
      return checking.verify(signature);
    } catch (GeneralSecurityException e) {
      return false; // they are of different kinds
    }
  }

  private static byte[] bytes(Path file) throws IOException {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new IOException("there is no file " + file, e);
    } catch (IOException e) {
      throw new IOException(file + " cannot be read: " + ReadFailure.reason(e), e);
    }
  }
}
