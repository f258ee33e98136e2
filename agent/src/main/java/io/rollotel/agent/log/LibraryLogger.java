package io.rollotel.agent.log;

import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for {@code java.util.logging.Logger} in the agent's copies of the SDK, grpc-java and
 * Netty, where the build puts it. Their lines appear as the agent's, and the application's log
 * manager is neither loaded early nor used.
 */
public final class LibraryLogger {

  /** The API's own {@code setStatus(OK)} passes an empty description, so this is no news. */
  private static final String NO_NEWS = "Ignoring setStatus() description";

  /** As grpc-java says it, with a stack trace. */
  private static final String NO_ADDRESS = "Failed to resolve name.";

  private final String name;

  private LibraryLogger(String name) {
    this.name = name;
  }

  public static LibraryLogger getLogger(String name) {
    return new LibraryLogger(name);
  }

  public String getName() {
    return name;
  }

  public boolean isLoggable(Level level) {
    return level.intValue() >= Level.WARNING.intValue() || AgentLog.isDebug();
  }

  public void log(Level level, String message) {
    log(level, message, (Throwable) null);
  }

  public void log(Level level, Supplier<String> message) {
    log(level, message.get(), (Throwable) null);
  }

  public void log(Level level, String message, Object parameter) {
    log(level, message.replace("{0}", String.valueOf(parameter)), (Throwable) null);
  }

  public void log(Level level, String message, Object[] parameters) {
    String filled = message;
    for (int i = 0; i < parameters.length; i++) {
      filled = filled.replace("{" + i + "}", String.valueOf(parameters[i]));
    }
    log(level, filled, (Throwable) null);
  }

  public void log(Level level, String message, @Nullable Throwable thrown) {
    if (message.startsWith(NO_NEWS)) {
      return;
    }
    String line =
        name.substring(name.lastIndexOf('.') + 1)
            + ": "
            + message
            + (thrown == null ? "" : " (" + thrown + ")");
    // FallbackExporter reports undelivered spans once, with the cause. Without a network, Netty's
    // classes warn when they load.
    boolean isReported =
        name.startsWith("io.opentelemetry.exporter")
            || name.endsWith(".NetUtilInitializations")
            || name.endsWith(".MacAddressUtil")
            || message.contains(NO_ADDRESS);
    if (level.intValue() >= Level.WARNING.intValue() && !isReported) {
      AgentLog.warnOnce(line);
    } else {
      AgentLog.debug(line);
    }
  }

  public void log(LogRecord record) {
    Object[] parameters = record.getParameters();
    String message = String.valueOf(record.getMessage());
    if (parameters == null || parameters.length == 0) {
      log(record.getLevel(), message, record.getThrown());
    } else {
      log(record.getLevel(), message, parameters);
    }
  }

  public void severe(String message) {
    log(Level.SEVERE, message);
  }

  public void warning(String message) {
    log(Level.WARNING, message);
  }

  public void info(String message) {
    log(Level.INFO, message);
  }

  public void config(String message) {
    log(Level.CONFIG, message);
  }

  public void fine(String message) {
    log(Level.FINE, message);
  }

  public void finer(String message) {
    log(Level.FINER, message);
  }

  public void finest(String message) {
    log(Level.FINEST, message);
  }
}
