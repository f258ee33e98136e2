package io.rollotel.agent.command;

import io.rollotel.agent.Agent;
import java.io.File;
import java.net.URISyntaxException;

/** The agent's jar. Apart from {@link AttachedJvm}, which not every Java can load. */
final class AgentJar {

  private AgentJar() {}

  /** The file that the agent, and with it this command, was loaded from. */
  static File file() throws RefusedException {
    try {
      return new File(Agent.class.getProtectionDomain().getCodeSource().getLocation().toURI())
          .getAbsoluteFile();
    } catch (URISyntaxException e) {
      throw new RefusedException("The agent's jar is not a file: " + e.getMessage());
    }
  }
}
