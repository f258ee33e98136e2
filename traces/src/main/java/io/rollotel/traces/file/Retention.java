package io.rollotel.traces.file;

import io.rollotel.traces.otlp.ReadFailure;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.recording.Recordings;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Removes the oldest runs of an output directory, each with all of its files: traces, metrics,
 * logs, recorders and profiles. Files that name no run, foreign files, pages, and runs with a
 * living process are kept. The oldest run is the one whose first span started first.
 *
 * <p>Runs that share a file go together or not at all. For one thread; other processes may read,
 * write and remove meanwhile.
 */
public final class Retention {

  /**
   * The runs to keep.
   *
   * @param runs the number of runs to keep, including those being written; 0 for any number
   * @param bytes the total size of files that name a run; 0 for any size
   */
  public record Rules(long runs, long bytes) {

    /** All stays. */
    public static final Rules NONE = new Rules(0, 0);

    /** Whether all runs are kept. */
    public boolean isNone() {
      return runs == 0 && bytes == 0;
    }
  }

  /**
   * The runs to remove, or those removed.
   *
   * @param runs the oldest first
   * @param bytes of all files
   * @param lineBytes of those that count for {@link RunBytes}
   */
  public record Removal(List<String> runs, List<Path> files, long bytes, long lineBytes) {

    /** Whether it is nothing. */
    public boolean isEmpty() {
      return files.isEmpty();
    }

    /** As text: how many runs, which, and how much. */
    @Override
    public String toString() {
      List<String> named = runs.subList(0, Math.min(MOST_NAMED, runs.size()));
      return runs.size()
          + (runs.size() == 1 ? " run (" : " runs (")
          + String.join(", ", named)
          + (named.size() < runs.size() ? ", …" : "")
          + "): "
          + files.size()
          + (files.size() == 1 ? " file, " : " files, ")
          + RunBytes.size(bytes);
    }
  }

  private static final int MOST_NAMED = 5;

  /** Runs that share files. */
  private static final class Group {
    private final Set<String> runs = new TreeSet<>();
    private final List<RunFile> files = new ArrayList<>();

    private long bytes() {
      return files.stream().mapToLong(RunFile::bytes).sum();
    }

    /**
     * When the first span of its run started. When the last file was written if there are no spans,
     * or several runs, since it is not known when the youngest of them started.
     */
    private long startNanos() {
      if (runs.size() > 1) {
        return TimeUnit.MILLISECONDS.toNanos(modifiedMillis());
      }
      long nanos = files.stream().mapToLong(file -> file.named().firstStartNanos()).min().orElse(0);
      return nanos == NamedRuns.UNKNOWN ? TimeUnit.MILLISECONDS.toNanos(modifiedMillis()) : nanos;
    }

    private long modifiedMillis() {
      return files.stream().mapToLong(RunFile::modifiedMillis).max().orElse(0);
    }

    private String firstRun() {
      return runs.iterator().next();
    }
  }

  /** A copy of a directory may have other times of its files. */
  private static final Comparator<Group> OLDEST_FIRST =
      Comparator.comparingLong(Group::startNanos)
          .thenComparingLong(Group::modifiedMillis)
          .thenComparing(Group::firstRun);

  private final Path outputDir;
  private final Rules rules;
  private final Consumer<String> warn;
  private final Set<Path> warnedOf = new HashSet<>();

  /** Groups of runs that the last plan keeps only because they share files. */
  private List<List<String>> sharing = List.of();

  /** The last plan; runs that have changed since are kept. */
  private final List<Group> planned = new ArrayList<>();

  /**
   * The retention of a directory.
   *
   * @param warn receives a line for each file that cannot be read or removed, once
   */
  public Retention(Path outputDir, Rules rules, Consumer<String> warn) {
    this.outputDir = outputDir;
    this.rules = rules;
    this.warn = warn;
  }

  /**
   * Sets the collector's files aside, so that a new run shares none with earlier ones. For the
   * process that is about to write them.
   */
  public static void beginRun(Path outputDir, Consumer<String> warn) {
    for (String signal : List.of("traces", "metrics", "logs")) {
      Path file = outputDir.resolve(signal).resolve(signal + ".jsonl");
      try {
        if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) > 0) {
          FileRotation.setAside(file);
        }
      } catch (IOException e) {
        warn.accept(file + " cannot be set aside, so this run is added to it: " + e);
      }
    }
  }

  /**
   * The runs to remove by the rules. Searches files that were not searched before, which takes as
   * long as reading them.
   *
   * @param written runs that the caller knows to be in progress
   */
  public Removal plan(Collection<String> written) {
    RunFiles files = RunFiles.of(outputDir, System.currentTimeMillis(), this::cannotRead);
    planned.clear();
    sharing = List.of();
    if (hasUnreadableRecorder(files)) {
      return removal(planned);
    }
    Set<String> live = new HashSet<>(files.live());
    live.addAll(written);
    List<Group> groups = groups(files.all());
    groups.sort(OLDEST_FIRST);
    Set<String> known = new HashSet<>(written); // one run may have no file yet
    groups.forEach(group -> known.addAll(group.runs));
    long runs = known.size();
    long bytes = groups.stream().mapToLong(Group::bytes).sum();
    List<Group> going = new ArrayList<>();
    for (Group group : groups) {
      boolean isTooMany = rules.runs() != 0 && runs - group.runs.size() >= rules.runs();
      boolean isTooMuch = rules.bytes() != 0 && bytes > rules.bytes();
      boolean isWritten =
          group.runs.stream().anyMatch(live::contains)
              || group.files.stream().anyMatch(RunFile::isWritten);
      if (isWritten) {
        continue;
      }
      if (!isTooMany && !isTooMuch) {
        break; // younger ones stay as well
      }
      going.add(group);
      runs -= group.runs.size();
      bytes -= group.bytes();
    }
    planned.addAll(going);
    boolean areTooMany = rules.runs() != 0 && runs > rules.runs();
    boolean areTooMuch = rules.bytes() != 0 && bytes > rules.bytes();
    sharing =
        groups.stream()
            .filter(group -> areTooMany || areTooMuch)
            .filter(group -> group.runs.size() > 1 && !going.contains(group))
            .filter(group -> group.runs.stream().noneMatch(live::contains))
            .filter(group -> group.files.stream().noneMatch(RunFile::isWritten))
            .map(group -> List.copyOf(group.runs))
            .toList();
    return removal(going);
  }

  /**
   * Groups of runs that share files, and that the last plan therefore keeps together, although less
   * should be kept.
   */
  public List<List<String>> sharing() {
    return sharing;
  }

  /** The file of a live process whose run is unknown, so it may belong to any. */
  private boolean hasUnreadableRecorder(RunFiles files) {
    Path recorder = files.unreadableRecorder();
    if (recorder == null) {
      return false;
    }
    if (warnedOf.add(recorder)) {
      warn.accept(
          recorder
              + " cannot be read, and its process may live and write to any run: no run is removed"
              + " while it is there");
    }
    return true;
  }

  private void cannotRead(Path path, Exception e) {
    if (warnedOf.add(path)) {
      warn.accept(
          path
              + " cannot be read and stays: "
              + (e instanceof IOException failure ? ReadFailure.reason(failure) : e));
    }
  }

  private static List<Group> groups(List<RunFile> files) {
    Map<String, Group> byRun = new HashMap<>();
    for (RunFile file : files) {
      Group joined = new Group();
      joined.runs.addAll(file.runs());
      joined.files.add(file);
      for (String run : file.runs()) {
        Group known = byRun.get(run);
        if (known != null && known != joined) {
          joined.runs.addAll(known.runs);
          joined.files.addAll(known.files);
          known.runs.forEach(one -> byRun.put(one, joined));
        }
      }
      joined.runs.forEach(run -> byRun.put(run, joined));
    }
    return new ArrayList<>(new LinkedHashSet<>(byRun.values()));
  }

  private static Removal removal(List<Group> groups) {
    List<String> runs = new ArrayList<>();
    List<Path> files = new ArrayList<>();
    long bytes = 0;
    long lineBytes = 0;
    for (Group group : groups) {
      runs.addAll(group.runs);
      for (RunFile file : group.files) {
        files.add(file.path());
        bytes += file.bytes();
        lineBytes += isLines(file.path()) ? file.bytes() : 0;
      }
    }
    return new Removal(runs, files, bytes, lineBytes);
  }

  private static boolean isLines(Path file) {
    return file.toString().contains(".jsonl");
  }

  /**
   * Carries out the last plan. Checks again before: a run is kept as a whole if any of its files
   * has changed, or one of its processes lives.
   *
   * @return what was removed; a file that cannot be removed stays
   */
  public Removal remove(Removal plan) {
    Set<Path> wanted = new HashSet<>(plan.files());
    List<Group> gone = new ArrayList<>();
    for (Group group : planned) {
      Group removed = new Group();
      if (group.files.stream().allMatch(file -> wanted.contains(file.path())) && isAsItWas(group)) {
        removed.runs.addAll(group.runs);
        for (RunFile file : group.files) {
          if (isRemoved(file)) {
            removed.files.add(file);
          }
        }
        gone.add(removed);
      }
    }
    planned.clear();
    return removal(gone);
  }

  private boolean isAsItWas(Group group) {
    Recordings now = Recordings.read(outputDir);
    return now.unreadable().isEmpty()
        && now.all().stream()
            .filter(Recording::isAlive)
            .noneMatch(live -> group.runs.contains(live.resource().text("roll.run_id")))
        && group.files.stream().allMatch(file -> file.isSameAs(file.path()));
  }

  /**
   * A file that may be written again is set aside first: from then on its writer begins a new one,
   * and earlier writes show in its size.
   */
  private boolean isRemoved(RunFile file) {
    Path path = file.path();
    try {
      if (!file.isSameAs(path)) {
        return false;
      }
      boolean mayBeWritten =
          path.toString().endsWith(".jsonl")
              && !SetAsideName.is(String.valueOf(path.getFileName()));
      Path removed = mayBeWritten ? FileRotation.setAside(path) : path;
      if (!file.isSameAs(removed)) {
        return false;
      }
      Files.deleteIfExists(removed);
      if (Files.exists(WaitingNote.of(path), LinkOption.NOFOLLOW_LINKS)) {
        WaitingHold.removeIfFree(path);
      }
      return true;
    } catch (IOException | RuntimeException e) {
      if (warnedOf.add(path)) {
        warn.accept(
            path
                + " cannot be removed: "
                + (e instanceof AccessDeniedException ? "no permission for its directory" : e));
      }
      return false;
    }
  }
}
