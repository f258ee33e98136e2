package io.rollotel.agent.command;

import io.rollotel.traces.cli.Main;
import java.util.List;

/** The command line of the agent's jar: that of {@code traces}, and the agent's own commands. */
public final class Commands {

  static final List<Class<?>> ALL = List.of(Attach.class, Detach.class, Doctor.class, Open.class);

  private Commands() {}

  /** Runs a command and exits with its code. */
  public static void main(String... args) {
    int exitCode;
    try {
      exitCode = Main.run(ALL, args);
    } catch (NoClassDefFoundError e) {
      String missing = String.valueOf(e.getMessage());
      if (missing.startsWith("com/sun/tools/attach/")) {
        System.err.println(
            "This Java cannot attach to others: it has no module jdk.attach. Use a JDK's.");
      } else if (missing.startsWith("java/net/http/")) {
        sayLack("java.net.http");
      } else if (missing.startsWith("java/util/logging/")) {
        sayLack("java.logging");
      } else {
        throw e;
      }
      exitCode = Main.FAILED;
    }
    System.exit(exitCode);
  }

  private static void sayLack(String module) {
    System.err.println(
        "This Java has no module " + module + ", which this command needs. Use a JDK's.");
  }
}
