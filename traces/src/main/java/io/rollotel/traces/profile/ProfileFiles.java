package io.rollotel.traces.profile;

import io.rollotel.traces.analysis.RunTotals;
import io.rollotel.traces.file.ProcessFileName;
import io.rollotel.traces.spans.TracedProcess;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Finds the recordings of processes: {@code profiles/<process>.<number>.jfr} beside the traces. */
final class ProfileFiles {

  private static final String FOLDER = "profiles";
  private static final String ENDING = ".jfr";

  private final List<Path> all = new ArrayList<>();

  /**
   * Looks for recordings.
   *
   * @param traces the files of spans that were read
   */
  ProfileFiles(List<Path> traces) {
    Set<Path> folders = new LinkedHashSet<>();
    for (Path file : traces) {
      Path folder = file.toAbsolutePath().normalize().getParent();
      for (int up = 0; folder != null && up < 2; up++) {
        folders.add(folder.resolve(FOLDER));
        folder = folder.getParent();
      }
    }
    for (Path folder : folders) {
      try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "*" + ENDING)) {
        found.forEach(all::add);
      } catch (IOException none) {
        // Most runs have no profile.
      }
    }
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  /** Those of a process that belong to the run, the oldest first. */
  List<Path> of(TracedProcess process, RunTotals run) {
    if (run.runId().isEmpty()) {
      return of(process);
    }
    Set<String> ids = new HashSet<>(run.joinedRuns());
    ids.add(run.runId());
    return of(process).stream().filter(file -> !RecordingReader.isOfAnotherRun(file, ids)).toList();
  }

  /** Those of a process's name, the oldest first. */
  List<Path> of(TracedProcess process) {
    // A JVM below a worker has the instance WORKER_NAME:pid and files WORKER_NAME-host:pid.
    String instance = process.instanceId();
    String suffix = ":" + process.pid();
    String worker =
        instance.endsWith(suffix)
            ? instance.substring(0, instance.length() - suffix.length())
            : instance;
    List<String> names =
        List.of(
            ProcessFileName.of(instance),
            ProcessFileName.of(worker + "-" + process.host() + suffix));
    return all.stream()
        .filter(file -> names.contains(name(file)))
        .sorted(Comparator.comparingInt(ProfileFiles::number))
        .toList();
  }

  /** Without number and ending; empty if there is no number. */
  private static String name(Path file) {
    String name = withoutEnding(file);
    int dot = name.lastIndexOf('.');
    return dot > 0 && number(file) > 0 ? name.substring(0, dot) : "";
  }

  private static int number(Path file) {
    String name = withoutEnding(file);
    String number = name.substring(name.lastIndexOf('.') + 1);
    return number.matches("[0-9]{1,9}") ? Integer.parseInt(number) : 0;
  }

  private static String withoutEnding(Path file) {
    String name = file.getFileName().toString();
    return name.substring(0, name.length() - ENDING.length());
  }
}
