package io.rollotel.traces.file;

import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.recording.Recordings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Assigns the files of an output directory to runs. A file is searched once: the result is noted
 * beside the traces, and is valid as long as the file's size and time do not change. Links are not
 * followed. For one thread.
 */
final class RunFiles {

  private static final String TRACES = "traces";
  private static final String PROFILES = "profiles";

  private static final List<String> LINES =
      List.of(TRACES, TRACES + "/" + WaitingFile.REFUSED, "metrics", "logs");

  /** A file written this recently may still be in use. */
  private static final long QUIET_MILLIS = TimeUnit.MINUTES.toMillis(1);

  private static final int BUFFER_BYTES = 256 << 10;

  private final Path outputDir;
  private final BiConsumer<Path, Exception> unreadable;
  private final long nowMillis;
  private final RunNotes notes;
  private final List<RunFile> all = new ArrayList<>();
  private final Set<String> live = new HashSet<>();
  private @Nullable Path unreadableRecorder;

  private RunFiles(Path outputDir, long nowMillis, BiConsumer<Path, Exception> unreadable) {
    this.outputDir = outputDir;
    this.nowMillis = nowMillis;
    this.unreadable = unreadable;
    notes = new RunNotes(outputDir);
  }

  /**
   * Inspects a directory.
   *
   * @param unreadable receives each file that cannot be read, and the reason
   */
  static RunFiles of(Path outputDir, long nowMillis, BiConsumer<Path, Exception> unreadable) {
    RunFiles files = new RunFiles(outputDir, nowMillis, unreadable);
    LINES.forEach(files::addLines);
    files.addRecordings();
    files.addProfiles();
    files.notes.write();
    return files;
  }

  /** The files that name a run. Others are not listed, because their owner is unknown. */
  List<RunFile> all() {
    return all;
  }

  /** The runs that have a live process, or a file that was written recently. */
  Set<String> live() {
    return live;
  }

  /** The file of a process that may be alive and whose run is unknown; null if there is none. */
  @Nullable Path unreadableRecorder() {
    return unreadableRecorder;
  }

  private void addLines(String folder) {
    boolean haveSpans = folder.startsWith(TRACES);
    for (Path path : plainFiles(outputDir.resolve(folder), "*.{jsonl,jsonl.gz}")) {
      try {
        add(path, haveSpans ? RunFiles::runsOfLines : RunFiles::runsWithoutSpans);
      } catch (IOException | RuntimeException e) {
        unreadable.accept(path, e);
      }
    }
  }

  private void add(Path path, RunNotes.Search search) throws IOException {
    BasicFileAttributes found =
        Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    long modifiedMillis = found.lastModifiedTime().toMillis();
    boolean isRefused = path.startsWith(outputDir.resolve(TRACES).resolve(WaitingFile.REFUSED));
    // A time in the future, from another host's clock. The file is kept until it has passed.
    boolean isWritten =
        nowMillis - modifiedMillis < QUIET_MILLIS
            && (isRefused
                || (!SetAsideName.is(String.valueOf(path.getFileName()))
                    && !isOfADeadProcess(path, modifiedMillis)));
    boolean isAppended = path.toString().endsWith(".jsonl");
    NamedRuns runs = notes.runs(path, found, isAppended, search);
    if (isWritten) {
      live.addAll(runs.ids());
    }
    if (!runs.ids().isEmpty()) {
      all.add(RunFile.of(path, found, runs, isWritten));
    }
  }

  /** A collector's file begins with data of another process, so this shows nothing. */
  private static boolean isOfADeadProcess(Path path, long modifiedMillis) throws IOException {
    String name = String.valueOf(path.getFileName());
    Path folder = path.getParent();
    return folder != null
        && name.endsWith(".jsonl")
        && !name.startsWith("~")
        && !name.equals(folder.getFileName() + ".jsonl")
        && FirstWriter.isOfADeadProcess(path, modifiedMillis);
  }

  /** In metrics, the same field is the start of a counter, such as that of the host. */
  private static NamedRuns runsWithoutSpans(Path file, long fromBytes) throws IOException {
    return new NamedRuns(runsOfLines(file, fromBytes).ids(), NamedRuns.UNKNOWN);
  }

  private static NamedRuns runsOfLines(Path file, long fromBytes) throws IOException {
    try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS);
        InputStream lines =
            file.toString().endsWith(".gz") ? new GzipStream(in, BUFFER_BYTES) : in) {
      lines.skipNBytes(fromBytes);
      return RunIdSearch.in(lines);
    }
  }

  private void addRecordings() {
    if (!Files.isDirectory(outputDir.resolve(Recordings.FOLDER), LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Recordings recordings = Recordings.read(outputDir);
    if (!recordings.unreadable().isEmpty()) {
      unreadableRecorder = recordings.unreadable().get(0).file();
    }
    for (Recording recording : recordings.all()) {
      String run = recording.resource().text("roll.run_id");
      Path path = recording.file();
      if (recording.isAlive() && !run.isEmpty()) {
        live.add(run);
      }
      try {
        BasicFileAttributes found =
            Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!run.isEmpty() && found.isRegularFile()) {
          all.add(RunFile.of(path, found, ofRecorder(run), recording.isAlive()));
        }
      } catch (IOException gone) {
        // Its process has ended.
      }
    }
  }

  /** The times of its spans are those of its run's lines, or few. */
  private static NamedRuns ofRecorder(String run) {
    return new NamedRuns(Set.of(run), NamedRuns.UNKNOWN);
  }

  /** A profile names its run as text; it counts if that run has other files as well. */
  private void addProfiles() {
    Set<String> known = new LinkedHashSet<>();
    all.forEach(file -> known.addAll(file.runs()));
    ProfileRuns search = new ProfileRuns(known);
    for (Path path : plainFiles(outputDir.resolve(PROFILES), "*.jfr")) {
      try {
        add(path, (file, from) -> new NamedRuns(search.in(file), NamedRuns.UNKNOWN));
      } catch (IOException | RuntimeException e) {
        unreadable.accept(path, e);
      }
    }
  }

  private static List<Path> plainFiles(Path folder, String glob) {
    List<Path> found = new ArrayList<>();
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return found;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, glob)) {
      for (Path path : entries) {
        if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
          found.add(path);
        }
      }
    } catch (IOException | RuntimeException gone) {
      // The found files are inspected now, the rest another time.
    }
    return found;
  }
}
