package io.rollotel.agent.settings;

import java.util.Map;

/**
 * The settings in force. User code may add to them until tracing is first used; then they are
 * fixed. Any thread.
 */
public final class CurrentSettings {

  private volatile Settings settings;

  // Guarded by this.
  private boolean fixed;

  public CurrentSettings(Settings settings) {
    this.settings = settings;
  }

  /** As they are now. */
  public Settings get() {
    return settings;
  }

  /**
   * Adds what user code sets, by property names.
   *
   * @return false where it comes too late
   */
  public synchronized boolean add(Map<String, String> fromUserCode) {
    if (fixed) {
      return false;
    }
    settings = settings.with(fromUserCode);
    return true;
  }

  /** The settings that hold from now on. */
  public synchronized Settings fix() {
    fixed = true;
    return settings;
  }
}
