package io.rollotel.it.kit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** Takes encrypted connections and hands them on, decrypted, to a port of this host. */
public final class TlsFront implements AutoCloseable {

  private static final char[] PASSWORD = "changeit".toCharArray();

  /** A key with a certificate that it signed itself. */
  public record Identity(KeyStore keys, Path certificatePem, Path keyPem) {

    private static final Map<String, byte[]> STORES = new ConcurrentHashMap<>();

    /** Makes one with the JDK's tool. */
    public static Identity make(Path directory, String name) throws Exception {
      return make(directory, name, "127.0.0.1");
    }

    /** The same for another address. Tests share the keys, since the tool takes a second. */
    public static Identity make(Path directory, String name, String address) throws Exception {
      Path store = directory.resolve(name + ".p12");
      byte[] made = STORES.get(name + address);
      if (made == null) {
        generate(store, name, address);
        STORES.put(name + address, Files.readAllBytes(store));
      } else {
        Files.write(store, made);
      }
      KeyStore keys = KeyStore.getInstance("PKCS12");
      try (InputStream in = Files.newInputStream(store)) {
        keys.load(in, PASSWORD);
      }
      return new Identity(
          keys,
          pem(
              directory.resolve(name + ".crt"),
              "CERTIFICATE",
              keys.getCertificate(name).getEncoded()),
          pem(
              directory.resolve(name + ".key"),
              "PRIVATE KEY",
              keys.getKey(name, PASSWORD).getEncoded()));
    }

    private static void generate(Path store, String name, String address) throws Exception {
      Finished.of(
              new ProcessBuilder(
                  Finished.jdk("keytool"),
                  "-genkeypair",
                  "-keyalg",
                  "RSA",
                  "-alias",
                  name,
                  "-dname",
                  "CN=" + name,
                  "-ext",
                  "SAN=ip:" + address,
                  "-storetype",
                  "PKCS12",
                  "-storepass",
                  new String(PASSWORD),
                  "-keystore",
                  store.toString()))
          .isWell();
    }

    private static Path pem(Path file, String what, byte[] content) throws IOException {
      return Files.writeString(
          file,
          "-----BEGIN "
              + what
              + "-----\n"
              + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content)
              + "\n-----END "
              + what
              + "-----\n");
    }
  }

  private final SSLServerSocket server;
  private final String application;
  private final int port;

  private TlsFront(SSLServerSocket server, String application, int port) {
    this.server = server;
    this.application = application;
    this.port = port;
  }

  /**
   * Lets in only clients that show this one's certificate.
   *
   * @param application what is spoken inside, as TLS names it: {@code h2} or {@code http/1.1}
   * @param port where that is spoken
   */
  public static TlsFront start(Identity own, Identity client, String application, int port)
      throws IOException, GeneralSecurityException {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(own.keys(), PASSWORD);
    KeyStore known = KeyStore.getInstance("PKCS12");
    known.load(null, PASSWORD);
    known.setCertificateEntry("client", client.keys().getCertificate("client"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(known);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    SSLServerSocket server =
        (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0, 50, loopback());
    server.setNeedClientAuth(true);
    TlsFront front = new TlsFront(server, application, port);
    inBackground(front::accept);
    return front;
  }

  private static InetAddress loopback() {
    return InetAddress.getLoopbackAddress();
  }

  /** Where it listens. */
  public int port() {
    return server.getLocalPort();
  }

  private void accept() throws IOException {
    while (true) {
      SSLSocket outside = (SSLSocket) server.accept();
      outside.setHandshakeApplicationProtocolSelector((socket, offered) -> application);
      Socket inside = new Socket(loopback(), port);
      inBackground(() -> copy(outside, inside));
      inBackground(() -> copy(inside, outside));
    }
  }

  private static void copy(Socket from, Socket to) throws IOException {
    byte[] buffer = new byte[16 << 10];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        out.write(buffer, 0, count);
        out.flush();
      }
    }
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void inBackground(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException closed) {
                // By the test, or by a client that was not let in.
              }
            },
            "tls-front");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
