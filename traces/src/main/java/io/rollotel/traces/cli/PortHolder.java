package io.rollotel.traces.cli;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The process of this host that listens on a port. Known only on Linux, and only for processes that
 * this user may inspect.
 */
final class PortHolder {

  private static final Path PROCESSES = Path.of("/proc");
  private static final String LISTENS = "0A";

  private PortHolder() {}

  /** Process id and program, {@code 4711 (java)}; null if unknown. */
  static @Nullable String inWords(int port) {
    Set<String> sockets = new HashSet<>();
    for (String table : List.of("tcp", "tcp6")) {
      sockets.addAll(sockets(PROCESSES.resolve("net").resolve(table), port));
    }
    if (sockets.isEmpty()) {
      return null;
    }
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
      for (Path process : processes) {
        if (hasOneOf(sockets, process.resolve("fd"))) {
          return inWords(process.getFileName().toString());
        }
      }
    } catch (IOException e) {
      // Nobody can tell.
    }
    return null;
  }

  private static String inWords(String pid) {
    return ProcessHandle.of(Long.parseLong(pid))
        .flatMap(process -> process.info().command())
        .map(command -> pid + " (" + Path.of(command).getFileName() + ")")
        .orElse(pid);
  }

  /** The names, among a process's files, of the sockets that listen on the port. */
  private static Set<String> sockets(Path table, int port) {
    Set<String> sockets = new HashSet<>();
    String suffix = String.format(Locale.ROOT, ":%04X", port);
    try {
      for (String line : Files.readAllLines(table)) {
        // Number, local and remote address, state, queues, timers, retries, user, time-out, inode.
        String[] parts = line.strip().split("\\s+", -1);
        if (parts.length > 9 && parts[1].endsWith(suffix) && parts[3].equals(LISTENS)) {
          sockets.add("socket:[" + parts[9] + "]");
        }
      }
    } catch (IOException e) {
      // Another system than Linux, or no IPv6.
    }
    return sockets;
  }

  private static boolean hasOneOf(Set<String> sockets, Path files) {
    try (DirectoryStream<Path> open = Files.newDirectoryStream(files)) {
      for (Path file : open) {
        if (sockets.contains(Files.readSymbolicLink(file).toString())) {
          return true;
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // It belongs to another user, or has ended.
    }
    return false;
  }
}
