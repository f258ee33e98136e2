package io.rollotel.agent.settings;

import io.rollotel.agent.log.AgentLog;
import java.util.Map;

/**
 * The settings in force. User code may add to them, and set system properties, until tracing is
 * first used; then they are fixed. Any thread.
 */
public final class CurrentSettings {

  private final Settings atStart;

  private volatile Settings settings;

  // Written under this.
  private volatile boolean fixed;

  /**
   * Settings whose problems have already been reported.
   *
   * @param settings the settings before main
   */
  public CurrentSettings(Settings settings) {
    this.settings = settings;
    atStart = settings;
  }

  /**
   * The current settings. System properties that were set since are not included before {@link
   * #fix}.
   */
  public Settings get() {
    return settings;
  }

  /** The settings as of now. Reads all of them, so do not call it often. */
  public Settings asFixedNow() {
    Settings now = settings;
    return fixed ? now : now.readAgain();
  }

  /**
   * Adds what user code sets, by property names.
   *
   * @return false if it is too late
   */
  public synchronized boolean add(Map<String, String> fromUserCode) {
    if (fixed) {
      return false;
    }
    settings = settings.with(fromUserCode);
    return true;
  }

  /**
   * The settings that apply from now on. Warns about values that are new and not understood: system
   * properties set by main, and settings added by user code.
   */
  public Settings fix() {
    Settings last;
    synchronized (this) {
      if (fixed) {
        return settings;
      }
      last = settings.readAgain();
      settings = last;
      fixed = true;
    }
    // Not under this lock, because code that listens to stderr may make traced calls. SharedParts
    // holds its own lock and relies on this.
    for (String complaint : last.complaints()) {
      if (!atStart.complaints().contains(complaint)) {
        AgentLog.warn(complaint);
      }
    }
    return last;
  }
}
