package io.rollotel.agent.export;

import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import io.rollotel.agent.background.AgentThreads;
import io.rollotel.agent.export.NotTakenException.Kind;
import io.rollotel.traces.collector.GrpcClient;
import io.rollotel.traces.collector.HttpClient;
import io.rollotel.traces.collector.OtlpProtocol;
import io.rollotel.traces.collector.PortProbe;
import io.rollotel.traces.collector.Rendezvous;
import io.rollotel.traces.otlp.PartialSuccess;
import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.settings.EndpointText;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The destination of OTLP requests and how to send them: by the user's settings, and with the
 * detected protocol if they name none. The SDK's exporters know one protocol each. The one for HTTP
 * brings {@code java.net.http}, which loads and compiles more than the rest of the agent, wakes
 * three threads for each batch, and freezes settings of the host's ({@link HttpClient}); here it is
 * loaded for https alone.
 */
public final class OtlpEndpoint implements Closeable {

  /** True if the endpoint of all signals comes from the program's code: no variable has it. */
  public static final String IS_IN_CODE = "roll.otel.endpoint.is.in.code";

  private static final Set<Integer> PASSING_STATUS = Set.of(429, 502, 503, 504);

  private final Signal signal;
  private final URI url;
  private final OtlpSettings settings;

  /** Null if only HTTP is possible. */
  private final @Nullable SpokenProtocol protocol;

  private final Map<String, String> httpHeaders;

  private final @Nullable HttpClient plain; // null for https

  // Guarded by this.
  private @Nullable EncryptedHttp encrypted;
  private @Nullable GrpcClient grpc;
  private boolean isClosed;

  /** Takes requests if the collector runs in this process; otherwise null. */
  private @Nullable Here here;

  /** All addresses, with this one first; null if the user named no other. */
  private @Nullable EndpointList list;

  private interface Here {
    void append(byte[] request) throws IOException;
  }

  private OtlpEndpoint(
      Signal signal, URI url, OtlpSettings settings, @Nullable SpokenProtocol protocol) {
    this.signal = signal;
    this.url = url;
    this.settings = settings;
    this.protocol = protocol;
    httpHeaders = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    httpHeaders.putAll(settings.headers());
    httpHeaders.put("Content-Type", "application/x-protobuf");
    if (settings.isGzip()) {
      httpHeaders.put("Content-Encoding", "gzip");
    }
    plain = settings.isEncrypted(url) ? null : HttpClient.to(url, settings.connect().toNanos());
  }

  /** For the collector of a run, the own file is the better fallback. */
  public static OtlpEndpoint ofRun(Rendezvous.Collector collector, Signal signal) {
    URI url = URI.create(collector.endpoint() + "/v1/" + signal.plural());
    OtlpEndpoint ofRun = new OtlpEndpoint(signal, url, OtlpSettings.ofRun(collector.token()), null);
    Rendezvous.Requests requests = collector.here();
    if (requests != null) {
      ofRun.here = request -> requests.append(signal, request);
    }
    return ofRun;
  }

  /**
   * An endpoint from the user's settings. The SDK's own reader of them makes a {@link
   * java.net.URL}, which loads a handler from the application and keeps it.
   *
   * @param protocols known facts about this process's endpoints
   * @throws IllegalArgumentException for settings that cannot be followed; says which
   * @throws IOException if a file with a certificate or key cannot be read
   */
  public static OtlpEndpoint ofUser(
      ConfigProperties config, Signal signal, SpokenProtocols protocols) throws IOException {
    List<URI> urls = OtlpSettings.urls(config, signal);
    OtlpEndpoint first = ofUser(config, signal, protocols, urls.get(0));
    if (urls.size() > 1) {
      List<OtlpEndpoint> all = new ArrayList<>();
      for (URI url : urls) { // the first one again, as a member that does not know the list
        all.add(ofUser(config, signal, protocols, url));
      }
      first.list = new EndpointList(all, protocols.workingOf(urls));
    }
    return first;
  }

  /**
   * Reads how requests would be sent, whatever the address; certificates are not read.
   *
   * @throws IllegalArgumentException for settings that cannot be followed; says which
   */
  public static void check(ConfigProperties config, Signal signal) throws IOException {
    OtlpSettings.ofUser(config, signal, URI.create("http://localhost"));
  }

  private static OtlpEndpoint ofUser(
      ConfigProperties config, Signal signal, SpokenProtocols protocols, URI url)
      throws IOException {
    return new OtlpEndpoint(
        signal, url, OtlpSettings.ofUser(config, signal, url), protocols.of(url, config, signal));
  }

  /**
   * Sends a request and waits until it is accepted. If the port speaks another protocol than
   * assumed, sends it again by that one.
   *
   * @param patienceNanos the longest wait, unless the settings name a shorter one
   * @return the part that was rejected although the request was accepted
   * @throws IOException if it is not accepted
   */
  public PartialSuccess send(byte[] request, long patienceNanos) throws IOException {
    if (here != null) {
      here.append(request);
      return PartialSuccess.NONE;
    }
    long deadlineNanos = System.nanoTime() + Math.min(settings.timeoutNanos(), patienceNanos);
    return list != null
        ? list.send(request, deadlineNanos, settings.retry())
        : send(request, deadlineNanos, settings.retry());
  }

  /** The same until a deadline; without a policy there is one attempt. */
  PartialSuccess send(byte[] request, long deadlineNanos, @Nullable RetryPolicy retry)
      throws IOException {
    for (int attempt = 1; ; ) {
      OtlpProtocol by = protocol == null ? OtlpProtocol.HTTP : protocol.current();
      IOException failure;
      boolean isPassing = true;
      try {
        return sendBy(by, request, deadlineNanos);
      } catch (ConnectException | SocketTimeoutException e) {
        failure = e;
      } catch (IOException e) {
        failure = e;
        Kind kind = e instanceof NotTakenException refusal ? refusal.kind() : null;
        boolean isAnswered = kind == Kind.REFUSED || kind == Kind.PASSING;
        // If it was accepted and the answer was lost, readers recognise duplicates by their ids.
        if (!isAnswered
            && protocol != null
            && protocol.isFoundOut(
                by,
                settings.tls(),
                kind == Kind.FOREIGN || kind == Kind.MISSING_MODULE,
                deadlineNanos)) {
          closeGrpc(); // if that was it, it would go on connecting
          continue;
        }
        isPassing = kind == Kind.PASSING || (kind == null && by == OtlpProtocol.GRPC);
      }
      attempt++;
      if (!isPassing
          || retry == null
          || attempt > retry.getMaxAttempts()
          || !pause(retry, attempt, deadlineNanos)) {
        throw failure;
      }
    }
  }

  private PartialSuccess sendBy(OtlpProtocol by, byte[] request, long deadlineNanos)
      throws IOException {
    if (by == OtlpProtocol.GRPC) {
      return sendByGrpc(request, deadlineNanos);
    }
    byte[] body = settings.isGzip() ? zipped(request) : request;
    HttpClient.Answer answer =
        plain != null
            ? plain.post(httpHeaders, body, deadlineNanos)
            : encrypted().post(httpHeaders, body, deadlineNanos);
    int status = answer.status();
    if (PortProbe.FOREIGN_STATUS.contains(status) && protocol != null && !protocol.isSet()) {
      throw new NotTakenException(Kind.FOREIGN, "HTTP status " + status);
    }
    if (status / 100 != 2) {
      throw notTaken("HTTP status " + status, PASSING_STATUS.contains(status));
    }
    return answer.partial();
  }

  private PartialSuccess sendByGrpc(byte[] request, long deadlineNanos) throws IOException {
    GrpcClient.Answer answer =
        grpc()
            .exportAndWait(
                signal,
                request,
                settings.metadata(),
                settings.isGzip(),
                deadlineNanos - System.nanoTime());
    if (answer.isOk()) {
      return answer.partial();
    }
    if (answer.isAnswer()) {
      throw notTaken("gRPC status " + answer.text(), answer.isPassing());
    }
    Throwable cause = answer.cause();
    for (Throwable inner = cause; inner != null; inner = inner.getCause()) {
      if (inner instanceof ConnectException nobodyListens) {
        throw nobodyListens;
      }
    }
    if (cause == null && !answer.isUnavailable()) {
      throw new NotTakenException(Kind.FOREIGN, answer.text());
    }
    throw new IOException(answer.text(), cause);
  }

  private synchronized EncryptedHttp encrypted() throws IOException {
    checkOpen();
    if (encrypted == null) {
      require("java.net.http", "https over HTTP");
      encrypted = new EncryptedHttp(url, settings.tls(), settings.connect());
    }
    return encrypted;
  }

  private synchronized GrpcClient grpc() throws IOException {
    checkOpen();
    if (grpc == null) {
      require("java.logging", "gRPC");
      try {
        grpc =
            GrpcClient.open(
                url, settings.tls(), settings.connect().toMillis(), AgentThreads.passing());
      } catch (IllegalArgumentException e) {
        throw notTaken(String.valueOf(e.getMessage()), false);
      }
    }
    return grpc;
  }

  /** An application of modules, or an image of jlink, has only some of the JDK's modules. */
  private static void require(String module, String by) throws NotTakenException {
    if (ModuleLayer.boot().findModule(module).isEmpty()) {
      throw new NotTakenException(
          Kind.MISSING_MODULE,
          "this JVM lacks the module "
              + module
              + ", which "
              + by
              + " needs: add it with --add-modules");
    }
  }

  private static NotTakenException notTaken(String answer, boolean isPassing) {
    return new NotTakenException(isPassing ? Kind.PASSING : Kind.REFUSED, answer);
  }

  private synchronized void closeGrpc() {
    if (grpc != null) {
      grpc.close();
      grpc = null;
    }
  }

  private void checkOpen() throws IOException {
    if (isClosed) {
      throw new ClosedChannelException();
    }
  }

  private static byte[] zipped(byte[] request) throws IOException {
    ByteArrayOutputStream zipped = new ByteArrayOutputStream(request.length / 4);
    try (OutputStream out = new GZIPOutputStream(zipped)) {
      out.write(request);
    }
    return zipped.toByteArray();
  }

  /** Whether there is time for another attempt; if so, waits as long as the policy says. */
  static boolean pause(RetryPolicy retry, int attempt, long deadlineNanos) {
    double most = (double) retry.getInitialBackoff().toNanos();
    for (int i = 2; i < attempt; i++) {
      most *= retry.getBackoffMultiplier();
    }
    double capped = Math.min(most, (double) retry.getMaxBackoff().toNanos());
    long nanos = (long) (capped * ThreadLocalRandom.current().nextDouble(0.8, 1.2));
    if (deadlineNanos - System.nanoTime() <= nanos) {
      return false;
    }
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  Map<String, String> headers() {
    return httpHeaders;
  }

  long timeoutNanos() {
    return settings.timeoutNanos();
  }

  /** Why {@link #send} failed, for messages. */
  public static String reason(Throwable failure) {
    return Undelivered.reason(failure);
  }

  /** Ends the connection, and a request that is under way. */
  @Override
  public synchronized void close() {
    isClosed = true;
    if (list != null) {
      list.close();
    }
    if (plain != null) {
      plain.close();
    }
    closeGrpc();
    encrypted = null; // the JDK's client ends with the last reference to it
  }

  /** For messages: neither the headers nor the user in the URL, which may hold a secret. */
  @Override
  public String toString() {
    return list == null ? EndpointText.withoutUser(url.toString()) : list.toString();
  }
}
