package io.rollotel.traces.collector;

import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.file.RunBytes;
import io.rollotel.traces.file.TracesWriter;
import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.Signal;
import java.io.File;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Recovers the spans that dead processes left in the output directory of a run. Any thread. */
final class Recovery {

  /** The file for recovered spans that cannot be sent to otelcol; its name sorts last. */
  private static final String RECOVERED = "~recovered.jsonl";

  private final File outputDir;
  private final Function<String, File> ownFiles;
  private final Supplier<RunBytes> runBytes;
  private final Consumer<String> warn;
  private final Consumer<String> info;

  /** Held while the files of dead processes are swept; no thread waits for it for long. */
  private final ReentrantLock sweeps = new ReentrantLock();

  /**
   * The recovery of a run.
   *
   * @param ownFiles supplies the own file of a process with a given name
   * @param runBytes how much the run may write
   * @param warn receives a line if it fails
   * @param info receives a line for each process
   */
  Recovery(
      File outputDir,
      Function<String, File> ownFiles,
      Supplier<RunBytes> runBytes,
      Consumer<String> warn,
      Consumer<String> info) {
    this.outputDir = outputDir;
    this.ownFiles = ownFiles;
    this.runBytes = runBytes;
    this.warn = warn;
    this.info = info;
  }

  /**
   * Sweeps the files of dead processes, unless another thread is sweeping.
   *
   * @param collector takes the spans; null if otelcol writes the run's file, which can have only
   *     one writer
   * @param patienceMillis how long to wait for another thread's sweep
   */
  void sweep(@Nullable EmbeddedCollector collector, long patienceMillis) {
    try {
      // First without waiting, because an interrupt would end a wait at once.
      if (!sweeps.tryLock() && !sweeps.tryLock(patienceMillis, TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    try {
      Sweep.Appender appender =
          collector != null
              ? request -> collector.append(Signal.TRACES, request)
              : this::appendBesideOtelcol;
      new Sweep(outputDir.toPath(), ownFiles, appender, info).run();
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      warn.accept("what dead processes left in " + outputDir + " is not recovered: " + e);
    } finally {
      sweeps.unlock();
    }
  }

  private void appendBesideOtelcol(byte[] request) throws IOException {
    File recovered = new File(new File(outputDir, "traces"), RECOVERED);
    FileRules rules = FileRules.DEFAULT.within(runBytes.get());
    try (TracesWriter writer = TracesWriter.open(recovered, Signal.TRACES, rules)) {
      writer.write(request, 0, request.length);
    } catch (MalformedRequestException e) {
      throw new IOException(e);
    }
  }
}
