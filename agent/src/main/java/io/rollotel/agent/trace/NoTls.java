package io.rollotel.agent.trace;

import java.security.KeyManagementException;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * A TLS context for a client that never encrypts. The JDK's client wants one in any case, and to
 * make the default one it reads the trust store: half of what the first export costs.
 */
final class NoTls extends SSLContextSpi {

  private static final String UNENCRYPTED = "connections to this run's collector are not encrypted";

  /** Whom this trusts. */
  static final X509TrustManager NOBODY =
      new X509TrustManager() {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
          throw new CertificateException("nobody is trusted");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
          throw new CertificateException("nobody is trusted");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
          return new X509Certificate[0];
        }
      };

  private NoTls() {}

  static SSLContext context() {
    return new SSLContext(new NoTls(), null, "none") {};
  }

  @Override
  protected SSLParameters engineGetDefaultSSLParameters() {
    return new SSLParameters(new String[0], new String[0]);
  }

  @Override
  protected SSLParameters engineGetSupportedSSLParameters() {
    return engineGetDefaultSSLParameters();
  }

  @Override
  protected void engineInit(
      KeyManager @Nullable [] keys, TrustManager @Nullable [] trust, @Nullable SecureRandom random)
      throws KeyManagementException {
    throw new KeyManagementException(UNENCRYPTED);
  }

  @Override
  protected SSLSocketFactory engineGetSocketFactory() {
    throw new UnsupportedOperationException(UNENCRYPTED);
  }

  @Override
  protected SSLServerSocketFactory engineGetServerSocketFactory() {
    throw new UnsupportedOperationException(UNENCRYPTED);
  }

  @Override
  protected SSLEngine engineCreateSSLEngine() {
    throw new UnsupportedOperationException(UNENCRYPTED);
  }

  @Override
  protected SSLEngine engineCreateSSLEngine(String host, int port) {
    throw new UnsupportedOperationException(UNENCRYPTED);
  }

  @Override
  protected SSLSessionContext engineGetServerSessionContext() {
    throw new UnsupportedOperationException(UNENCRYPTED);
  }

  @Override
  protected SSLSessionContext engineGetClientSessionContext() {
    throw new UnsupportedOperationException(UNENCRYPTED);
  }
}
