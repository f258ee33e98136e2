package io.rollotel.agent.command;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import io.rollotel.traces.recording.HostName;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.report.OpenSpansText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The stacks of the JVMs of this host, as {@code jcmd Thread.print} has them, and those of virtual
 * threads out of {@code jcmd Thread.dump_to_file}: neither loads anything there.
 */
final class ThreadStacks implements OpenSpansText.Stacks {

  private static final Pattern PLATFORM = Pattern.compile("\"(.*)\" #(\\d+)[ \\[].*");
  private static final Pattern VIRTUAL = Pattern.compile("#(\\d+) \"(.*)\".*");

  private static final String DEADLOCK = "Java-level deadlock";
  private static final String DEADLOCK_STACKS = "Java stack information for the threads";

  /** The JVM asked is another, most often of the same version. */
  private static final boolean HAS_VIRTUAL = Runtime.version().feature() >= 21;

  /** Deeper stacks are cut: the call that a worker hangs in is at the top. */
  private static final int MOST_FRAMES = 40;

  /** The known facts about one process. */
  private record Dump(Map<Long, List<String>> byThread, List<String> deadlocks) {}

  private final Map<Path, Dump> dumps = new HashMap<>();

  @Override
  public List<String> of(Recording process, OpenSpan span) {
    return dump(process).byThread.getOrDefault(span.threadId(), List.of());
  }

  @Override
  public List<String> of(Recording process) {
    return dump(process).deadlocks;
  }

  private Dump dump(Recording process) {
    return dumps.computeIfAbsent(process.file(), file -> take(process));
  }

  private static Dump take(Recording process) {
    Dump dump = new Dump(new HashMap<>(), new ArrayList<>());
    boolean isHere = process.resource().text("host.name").equals(HostName.get());
    if (!process.isAlive() || !isHere || process.open().isEmpty()) {
      return dump;
    }
    try {
      parse(ask(process.pid(), "Thread.print"), PLATFORM, 2, dump);
      boolean hasOthers =
          process.open().stream().anyMatch(span -> !dump.byThread.containsKey(span.threadId()));
      if (hasOthers && HAS_VIRTUAL) {
        virtual(process.pid(), dump);
      }
    } catch (RefusedException e) {
      dump.deadlocks.add("no stacks: " + e.getMessage());
    }
    return dump;
  }

  /** Before JDK 21, there are no virtual threads and no such command. */
  private static void virtual(long pid, Dump dump) throws RefusedException {
    try {
      Path folder = Files.createTempDirectory("roll-otel-stacks");
      Path file = folder.resolve("threads.txt");
      try {
        ask(pid, "Thread.dump_to_file " + file);
        if (Files.isReadable(file)) {
          parse(Files.readString(file), VIRTUAL, 1, dump);
        }
      } finally {
        Files.deleteIfExists(file);
        Files.delete(folder);
      }
    } catch (IOException e) {
      dump.deadlocks.add("no stacks of virtual threads: " + e);
    }
  }

  private static void parse(String text, Pattern head, int idGroup, Dump dump) {
    List<String> into = new ArrayList<>();
    boolean inDeadlock = false;
    for (String line : text.lines().toList()) {
      Matcher matcher = head.matcher(line);
      if (line.contains(DEADLOCK)) {
        inDeadlock = true;
      } else if (line.startsWith(DEADLOCK_STACKS)) {
        inDeadlock = false;
        into = new ArrayList<>(); // the same stacks again
      }
      if (inDeadlock) {
        if (!line.isBlank() && !line.startsWith("=")) {
          dump.deadlocks.add(line.strip());
        }
      } else if (matcher.matches()) {
        into = new ArrayList<>();
        dump.byThread.putIfAbsent(Long.parseLong(matcher.group(idGroup)), into);
        into.add("\"" + matcher.group(3 - idGroup) + "\"");
      } else if (line.isBlank()) {
        into = new ArrayList<>();
      } else if (into.size() < MOST_FRAMES) {
        into.add("  " + line.strip());
      }
    }
  }

  /**
   * Does what {@code jcmd} does. The method is internal to the JDK; the jar's manifest opens its
   * package.
   */
  private static String ask(long pid, String command) throws RefusedException {
    try {
      VirtualMachine machine = AttachedJvm.attach(Long.toString(pid));
      try (InputStream answer =
          (InputStream)
              Class.forName("sun.tools.attach.HotSpotVirtualMachine")
                  .getMethod("executeJCmd", String.class)
                  .invoke(machine, command)) {
        // Its readAllBytes ends after the first buffer, because the stream's read misinterprets the
        // offset.
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        answer.transferTo(all);
        return all.toString(StandardCharsets.UTF_8);
      } finally {
        machine.detach();
      }
    } catch (AttachNotSupportedException | IOException e) {
      throw AttachedJvm.refused(pid, e);
    } catch (ReflectiveOperationException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new RefusedException(pid + " gives none: " + cause);
    }
  }
}
