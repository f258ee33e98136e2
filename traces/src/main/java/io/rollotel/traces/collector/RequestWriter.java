package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.file.Count;
import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.file.RunBytes;
import io.rollotel.traces.file.TracesWriter;
import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.Signal;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.EnumMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/**
 * Writes the requests of both endpoints: checks their token, writes those of each signal to its
 * file, {@code traces/traces.jsonl} and so on, and counts. Safe for use by several threads.
 */
final class RequestWriter {

  /** How many requests are written at once, because decompressing and parsing also take memory. */
  private static final int TURNS = 2;

  /** Larger requests are written one at a time. */
  private static final int SMALL_BYTES = 2 << 20;

  private final File outputDir;
  private final FileRules rules;
  private final byte[] token;
  private final Consumer<String> log;

  private final int maxRequestBytes;
  private final MemoryBudget budget;
  private final Semaphore turns = new Semaphore(TURNS);
  // Reused: allocating one for each request would let the heap grow.
  private final Queue<RequestBuffer> buffers = new ConcurrentLinkedQueue<>();
  private final RequestBuffer largeBuffer = new RequestBuffer(); // guarded by itself

  private final CollectorCounts counts = new CollectorCounts();
  private final Set<Refusal.Reason> logged = ConcurrentHashMap.newKeySet();

  // Guarded by this.
  private final Map<Signal, TracesWriter> writers = new EnumMap<>(Signal.class);
  private long failedInARow;
  private boolean isClosed;

  private RequestWriter(
      File outputDir, String token, CollectorSettings settings, Consumer<String> log) {
    this.outputDir = outputDir;
    this.rules = settings.rules();
    this.token = token.getBytes(UTF_8);
    CollectorSettings.Limits limits = settings.limits();
    this.maxRequestBytes = limits.maxRequestBytes();
    this.budget = new MemoryBudget(limits.maxInFlightBytes(), maxRequestBytes);
    this.log = log;
  }

  /** Opens the traces file; the first request for each of the others creates it. */
  static RequestWriter open(
      File outputDir, String token, CollectorSettings settings, Consumer<String> log)
      throws IOException {
    RequestWriter opened = new RequestWriter(outputDir, token, settings, log);
    opened.writer(Signal.TRACES);
    return opened;
  }

  CollectorCounts counts() {
    return counts;
  }

  MemoryBudget budget() {
    return budget;
  }

  /** Whether a token is required. */
  boolean hasToken() {
    return token.length != 0;
  }

  /** Checks the value of the header {@code Authorization}, empty if there is none. */
  void authorize(String authorization) throws Refusal {
    if (token.length == 0) {
      return;
    }
    String[] parts = authorization.split(" ", 2);
    // Compares in constant time, so that timing reveals nothing about the token.
    if (parts.length != 2
        || !parts[0].equalsIgnoreCase("Bearer")
        || !MessageDigest.isEqual(parts[1].trim().getBytes(UTF_8), token)) {
      throw new Refusal(Refusal.Reason.UNAUTHENTICATED, "bearer token missing or wrong");
    }
  }

  /**
   * Writes a request; it may be acknowledged when this returns.
   *
   * @param body is read to its end when it is the request's turn
   * @param isGzip whether the body is compressed
   */
  void write(Signal signal, boolean isJson, InputStream body, boolean isGzip) throws Refusal {
    turns.acquireUninterruptibly();
    try {
      writeInTurn(signal, isJson, body, isGzip);
    } finally {
      turns.release(); // even if there was no memory for a buffer
    }
  }

  private void writeInTurn(Signal signal, boolean isJson, InputStream body, boolean isGzip)
      throws Refusal {
    RequestBuffer used = buffers.poll();
    RequestBuffer buffer = used == null ? new RequestBuffer() : used;
    try (InputStream in = isGzip ? buffer.inflated(body) : body) {
      buffer.reset();
      if (buffer.append(in, Math.min(SMALL_BYTES, maxRequestBytes))) {
        translate(signal, isJson, buffer);
        return;
      }
      synchronized (largeBuffer) {
        largeBuffer.reset();
        buffer.writeTo(largeBuffer);
        if (!largeBuffer.append(in, maxRequestBytes)) {
          throw tooLarge();
        }
        translate(signal, isJson, largeBuffer);
      }
    } catch (IOException e) {
      throw new Refusal(Refusal.Reason.MALFORMED, "malformed gzip: " + e.getMessage());
    } finally {
      buffers.add(buffer);
    }
  }

  private void translate(Signal signal, boolean isJson, RequestBuffer request) throws Refusal {
    try {
      TracesWriter writer = writer(signal);
      byte[] bytes = request.bytes();
      int length = request.size();
      int records = isJson ? writer.writeJson(bytes, 0, length) : writer.write(bytes, 0, length);
      counts.write(signal, records);
      succeeded();
    } catch (MalformedRequestException e) {
      boolean looksLikeJson = !isJson && request.size() > 0 && request.bytes()[0] == '{';
      throw new Refusal(
          Refusal.Reason.MALFORMED,
          "malformed request: "
              + e.getMessage()
              + (looksLikeJson
                  ? "; it looks like JSON, which needs Content-Type: application/json"
                  : ""));
    } catch (RunBytes.SpentException e) {
      throw new Refusal(Refusal.Reason.SPENT, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw failed(e);
    }
  }

  Refusal tooLarge() {
    return new Refusal(
        Refusal.Reason.TOO_LARGE, "more than " + maxRequestBytes + " bytes: send smaller batches");
  }

  private synchronized TracesWriter writer(Signal signal) throws IOException {
    if (isClosed) {
      throw new IOException("closed");
    }
    TracesWriter writer = writers.get(signal);
    if (writer == null) {
      String name = signal.plural();
      writer =
          TracesWriter.open(
              new File(new File(outputDir, name), name + ".jsonl"), signal, rules, log);
      writers.put(signal, writer);
    }
    return writer;
  }

  private synchronized void succeeded() {
    if (failedInARow != 0) {
      log.accept(
          "the traces file can be written again; "
              + Count.text(failedInARow, "request")
              + (failedInARow == 1 ? " was" : " were")
              + " refused meanwhile");
      failedInARow = 0;
    }
  }

  private synchronized Refusal failed(IOException e) {
    if (isClosed) {
      return new Refusal(Refusal.Reason.STOPPING, "the collector is shutting down");
    }
    if (failedInARow++ == 0) {
      log.accept("the traces file cannot be written; senders will retry: " + e);
    }
    return new Refusal(
        Refusal.Reason.UNWRITABLE, "the traces file cannot be written: " + e.getMessage());
  }

  /** Counts a refusal, and logs each reason once. */
  void refused(Refusal refusal, String sender) {
    counts.refuse(refusal.reason());
    boolean isLoggedElsewhere =
        refusal.reason() == Refusal.Reason.UNWRITABLE
            || refusal.reason() == Refusal.Reason.STOPPING;
    if (!isLoggedElsewhere && logged.add(refusal.reason())) {
      log.accept(
          "collector refused a request from "
              + sender
              + " with "
              + refusal.reason().httpStatus()
              + ", further ones are not logged: "
              + refusal.text());
    }
  }

  /** Closes the files. */
  void close() {
    Map<Signal, TracesWriter> open;
    synchronized (this) {
      isClosed = true;
      open = new EnumMap<>(Signal.class);
      open.putAll(writers);
      writers.clear();
    }
    open.forEach(
        (signal, writer) -> {
          try {
            writer.close();
          } catch (IOException e) {
            log.accept("the " + signal.plural() + " file was not closed cleanly: " + e);
          }
        });
  }
}
