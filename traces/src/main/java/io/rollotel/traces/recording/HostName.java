package io.rollotel.traces.recording;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The name by which processes on one file system recognise their host. */
public final class HostName {

  private HostName() {}

  /** This host's name, without a name server if possible. */
  public static String get() {
    try (InputStream in = new FileInputStream("/proc/sys/kernel/hostname")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).trim();
    } catch (IOException notLinux) {
      String name = System.getenv("COMPUTERNAME");
      try {
        return name != null ? name : InetAddress.getLocalHost().getHostName();
      } catch (IOException noName) {
        return "localhost";
      }
    }
  }

  /**
   * The namespace of this process's id, which another container with the same name does not share;
   * empty if unknown.
   */
  public static String pidNamespace() {
    try {
      return Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
    } catch (IOException | RuntimeException notLinux) {
      return "";
    }
  }
}
