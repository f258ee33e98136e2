package io.rollotel.agent.attach;

import io.rollotel.traces.cli.Main;
import java.util.List;

/** The command line of the agent's jar: that of {@code traces}, and the agent's own commands. */
public final class Commands {

  private Commands() {}

  /** Runs a command and exits with its code. For the agent's Main, by reflection. */
  public static void main(String... args) {
    System.exit(Main.run(List.of(new Attach(), new Detach()), args));
  }
}
