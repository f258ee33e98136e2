package io.rollotel.agent.profile;

import io.rollotel.agent.background.AgentThreads;
import io.rollotel.agent.background.BackgroundTask;
import io.rollotel.agent.log.AgentLog;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import org.jspecify.annotations.Nullable;

/**
 * Records the activity of this process's threads, and copies the recording to the traces each
 * second, so that a killed process loses at most the last second. Other recordings of the process
 * are not affected. Nothing here throws. For any threads.
 */
public final class Profile implements LongSupplier, AutoCloseable {

  /** How often it looks whether there is room. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Flight Recorder writes once a second, so every fourth look copies. */
  private static final int LOOKS_PER_ROUND = 4;

  private final String choice;
  private final File folder;
  private final long mostBytes;
  private final Supplier<@Nullable String> runId;

  private volatile boolean isRecording;

  // Guarded by this.
  private boolean wasStarted;
  private @Nullable Recording recording;
  private @Nullable ChunkCopies copies;
  private @Nullable BackgroundTask task;
  private int looks;
  private String lastRepository = "";

  /**
   * Starts nothing yet.
   *
   * @param choice the value of {@code ROLL_OTEL_PROFILE}; not {@code off}
   * @param folder the directory for the files
   * @param mostBytes how much they may hold together; the oldest are deleted first
   * @param runId supplies the run's id once it is known; called each second
   */
  public Profile(String choice, File folder, long mostBytes, Supplier<@Nullable String> runId) {
    this.choice = choice;
    this.folder = folder;
    this.mostBytes = mostBytes;
    this.runId = runId;
  }

  /**
   * Starts the recording, which loads Flight Recorder and takes about 50 ms; a second call does
   * nothing.
   *
   * @param name the name of the files, without number and extension
   */
  public synchronized void start(String name) {
    if (wasStarted) {
      return;
    }
    wasStarted = true;
    try {
      String lack = RepositoryRoom.lack(RepositoryRoom.repository());
      if (lack == null) {
        start(name, new Recording());
      } else {
        failed("no profile: " + lack);
      }
    } catch (IOException | ParseException e) {
      failed("no profile: " + choice + " cannot be read (" + e + ")");
    } catch (RuntimeException | Error e) {
      failed("no profile: " + reason(e));
    }
  }

  /** Why no profile would start now for want of disk space; null if there is enough. */
  public static @Nullable String lackOfRoom() {
    return RepositoryRoom.lack(null);
  }

  private static String reason(Throwable failure) {
    if (ModuleLayer.boot().findModule("jdk.jfr").isEmpty()) {
      return "this JVM has no Flight Recorder (module jdk.jfr)";
    }
    return isExiting()
        ? "the process ended before Flight Recorder had started"
        : "Flight Recorder does not start (" + failure + ")";
  }

  /** Whether the JVM runs its exit hooks, among them Flight Recorder's. */
  private static boolean isExiting() {
    Thread hook = AgentThreads.make("roll-otel-none", () -> {});
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      Runtime.getRuntime().removeShutdownHook(hook);
      return false;
    } catch (IllegalStateException exiting) {
      return true;
    }
  }

  private void start(String name, Recording made) throws IOException, ParseException {
    recording = made;
    made.setName("roll-otel");
    made.setToDisk(true);
    // Only the copies are kept.
    made.setMaxAge(Duration.ofMinutes(1));
    made.setSettings(RecordingSettings.of(choice));
    // The repository, if Flight Recorder is already running; it begins a new chunk for this
    // recording.
    String before = RepositoryRoom.repository();
    List<Path> earlier = before == null ? List.of() : ChunkCopies.chunks(Path.of(before));
    made.start();
    if (repository().isEmpty()) {
      throw new IllegalStateException("where it writes to is not known");
    }
    copies = new ChunkCopies(earlier, folder.toPath(), name, mostBytes);
    task = BackgroundTask.start("roll-otel-profile", this);
    isRecording = true;
    AgentLog.info("profile: " + new File(folder, name + ".*.jfr"));
  }

  /** Whether there is a recording, which accepts events. */
  public boolean isRecording() {
    return isRecording;
  }

  private void failed(String line) {
    AgentLog.warn(line);
    end();
  }

  /** Looks for room, and copies in each round. */
  @Override
  public synchronized long getAsLong() {
    Recording running = recording;
    if (copies == null || running == null) {
      return -1;
    }
    String lack = RepositoryRoom.lack(repository());
    if (lack != null) {
      AgentLog.warn("the profile ends: " + lack);
      close();
      return -1;
    }
    if (running.getState() != RecordingState.RUNNING && !isExiting()) {
      AgentLog.warn(
          "the profile ends: the application, or a command such as JFR.stop, has stopped its"
              + " recording");
      close();
      return -1;
    }
    if (looks++ % LOOKS_PER_ROUND != 0) {
      return LOOK_NANOS;
    }
    tellClock();
    return copy() ? LOOK_NANOS : -1;
  }

  private void tellClock() {
    String known = runId.get();
    ProfileClock.tell(known == null ? "" : known);
  }

  private String repository() {
    String named = RepositoryRoom.repository();
    lastRepository = named == null ? lastRepository : named;
    return lastRepository;
  }

  private boolean copy() {
    ChunkCopies all = copies;
    try {
      if (all != null) {
        all.copy(Path.of(repository()));
        if (isRecording && all.needNewChunk() && !isExiting()) {
          beginChunk();
        }
      }
      return true;
    } catch (IOException | RuntimeException e) {
      AgentLog.warn("the profile ends: it cannot be copied to " + folder + " (" + e + ")");
      end();
      return false;
    }
  }

  /** Flight Recorder begins a new chunk when a recording starts or ends. */
  private static void beginChunk() {
    try (Recording empty = new Recording()) {
      empty.start();
    } catch (IllegalStateException exiting) {
      // It takes no more room then.
    }
  }

  /** Ends the recording, and copies the rest of it. */
  @Override
  public synchronized void close() {
    wasStarted = true;
    isRecording = false;
    Recording running = recording;
    if (running == null) {
      return;
    }
    try {
      tellClock(); // a short process has no other chunk
      running.stop();
    } catch (IllegalStateException stoppedAtExit) {
      // Flight Recorder's own exit hook ran first; its last chunk is complete.
    } catch (RuntimeException | Error e) {
      AgentLog.warn("the profile's end may be missing: " + e);
    }
    if (copy()) {
      end();
    }
  }

  private void end() {
    Recording running = recording;
    ChunkCopies all = copies;
    BackgroundTask copying = task;
    isRecording = false;
    recording = null;
    copies = null;
    task = null;
    if (all != null) {
      all.close();
    }
    if (copying != null) {
      copying.stop();
    }
    try {
      if (running != null) {
        running.close();
      }
    } catch (RuntimeException | Error e) {
      AgentLog.debug("the recording was not closed: " + e);
    }
  }
}
