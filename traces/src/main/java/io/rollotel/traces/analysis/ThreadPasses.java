package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Processes parts in several threads of this JVM. */
final class ThreadPasses implements PartPasses {

  private final TraceParts parts;
  private final int threads;
  private final PartedRuns.Progress progress;
  private long worked;

  /** How often each part will be processed, as far as is known. */
  private int passes = 4;

  /** How many parts are in memory at once. */
  ThreadPasses(TraceParts parts, int threads, PartedRuns.Progress progress) {
    this.parts = parts;
    this.threads = threads;
    this.progress = progress;
  }

  @Override
  public int parts() {
    return parts.count();
  }

  @Override
  public void more(int number) {
    passes += number;
  }

  @Override
  public Spans read(int part, Spans numbers) throws IOException {
    return read(part, numbers, null);
  }

  private Spans read(int part, Spans numbers, @Nullable SpanTags tags) throws IOException {
    Spans spans = Spans.withNumbersOf(numbers, tags);
    parts.read(part, spans);
    return spans;
  }

  @Override
  public void read(Set<String> traceIds, CallJoins joins, Consumer<Span> sink) throws IOException {
    for (int part = 0; part < parts.count(); part++) {
      parts.read(part, id -> traceIds.contains(joins.traceId(id))).forEach(sink);
    }
  }

  /** The results are added in the parts' order, by the thread that calls this. */
  @Override
  public <T> void each(Spans numbers, PartWork<T> work, T all) throws IOException {
    ExecutorService working =
        Executors.newFixedThreadPool(
            threads,
            task -> {
              Thread thread = new Thread(task, "roll-otel-report");
              thread.setDaemon(true);
              return thread;
            });
    try {
      Deque<Future<T>> waiting = new ArrayDeque<>();
      for (int part = 0; part < parts.count() || !waiting.isEmpty(); part++) {
        if (part < parts.count()) {
          int number = part;
          waiting.add(working.submit(() -> work.of(read(number, numbers, work.tags()))));
        }
        if (waiting.size() == threads || part >= parts.count()) {
          work.add(all, waiting.remove().get());
          worked++;
          progress.worked(worked, Math.max(worked, (long) passes * parts.count()));
        }
      }
    } catch (ExecutionException e) {
      throw thrown(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      end(working);
    }
  }

  /** After this, the files are not read any more, so their owner may release them. */
  private static void end(ExecutorService working) {
    working.shutdownNow();
    try {
      working.awaitTermination(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static IOException thrown(@Nullable Throwable cause) {
    if (cause instanceof Error error) {
      throw error;
    }
    if (cause instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    return cause instanceof IOException io ? io : new IOException("a part was not read", cause);
  }
}
