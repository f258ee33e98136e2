package io.rollotel.traces.collector;

import io.rollotel.traces.file.RunBytes;
import java.io.File;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How much a run may write, on which its processes agree: the driver determines it and tells the
 * others. Lists the directory: not for the application's threads.
 */
final class AgreedRunBytes {

  /** The time between two looks of a worker at what its driver says of the run's size. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Rendezvous run;
  private final DriverFile file;
  private final File outputDir;

  /** Created only by {@link #begin}. */
  private volatile @Nullable RunBytes known;

  /** The lock of the rendezvous, which guards the file and what follows. */
  private final Object lock;

  private long termsReadNanos;

  /**
   * For a process that has read and written nothing so far.
   *
   * @param run decides whether this process is the driver, and tells the others if it is
   * @param lock the lock of {@code run}
   */
  AgreedRunBytes(Rendezvous run, Object lock, DriverFile file, File outputDir) {
    this.run = run;
    this.lock = lock;
    this.file = file;
    this.outputDir = outputDir;
  }

  /**
   * One object for the whole process. In a run that another process has begun, it follows that
   * process, which may have had other settings.
   */
  RunBytes get() {
    RunBytes before = known;
    if (before == null) {
      return begin(RunBytes.begin(outputDir, run.givenRunBytes()));
    }
    followDriver(before);
    return before;
  }

  private RunBytes begin(RunBytes.Terms ours) {
    synchronized (lock) {
      run.joinOnce();
      RunBytes begun = known;
      if (begun == null) {
        RunBytes.Terms drivers = file.isLocked() ? null : file.terms();
        begun = RunBytes.ofRun(outputDir, drivers == null ? ours : drivers);
        known = begun;
        termsReadNanos = System.nanoTime();
        run.publish();
      }
      return begun;
    }
  }

  /** Another run may have begun, or its driver may have determined them only now. */
  private void followDriver(RunBytes ours) {
    synchronized (lock) {
      if (!file.isLocked() && System.nanoTime() - termsReadNanos > LOOK_NANOS) {
        termsReadNanos = System.nanoTime();
        RunBytes.Terms drivers = file.terms();
        if (drivers != null) {
          ours.follow(drivers);
        }
      }
    }
  }

  /** Less data is left from before the run; otherwise the run would seem to have added less. */
  void removed(long lineBytes) {
    RunBytes ours = get();
    RunBytes.Terms terms = ours.terms();
    ours.follow(new RunBytes.Terms(Math.max(0, terms.startBytes() - lineBytes), terms.given()));
    synchronized (lock) {
      run.publish();
    }
  }

  /** What the processes agree on; null before the first {@link #get}. */
  RunBytes.@Nullable Terms terms() {
    RunBytes ours = known;
    return ours == null ? null : ours.terms();
  }
}
