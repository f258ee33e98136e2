package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.recording.HostName;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The process that wrote a file, from its first line. */
final class FirstWriter {

  /** The precision of a process's start time. */
  private static final long START_MILLIS_OFF = 2_000;

  /** The resource comes first in a line. */
  private static final int HEAD_BYTES = 16 << 10;

  private static final Pattern HOST =
      Pattern.compile(
          "\"host\\.name\",\\s*\"value\":\\s*\\{\\s*\"stringValue\":\\s*\"([^\"\\\\]*)\"");

  private static final Pattern PID =
      Pattern.compile("\"process\\.pid\",\\s*\"value\":\\s*\\{\\s*\"intValue\":\\s*\"?(\\d{1,18})");

  private FirstWriter() {}

  /** Whether the process that a file names first ran on this host and has ended. */
  static boolean isOfADeadProcess(Path file, long modifiedMillis) throws IOException {
    String head;
    try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS);
        InputStream lines = file.toString().endsWith(".gz") ? new GzipStream(in, 4 << 10) : in) {
      head = new String(lines.readNBytes(HEAD_BYTES), UTF_8);
    }
    Matcher host = HOST.matcher(head);
    Matcher pid = PID.matcher(head);
    return host.find()
        && host.group(1).equals(HostName.get())
        && pid.find()
        && isDead(Long.parseLong(pid.group(1)), modifiedMillis);
  }

  /** A process that started after the file was written is another one with the same process id. */
  private static boolean isDead(long pid, long modifiedMillis) {
    ProcessHandle process = ProcessHandle.of(pid).orElse(null);
    Instant start = process == null ? null : process.info().startInstant().orElse(null);
    return process == null
        || (start != null && start.toEpochMilli() - START_MILLIS_OFF > modifiedMillis);
  }
}
