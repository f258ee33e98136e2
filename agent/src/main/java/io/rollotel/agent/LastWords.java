package io.rollotel.agent;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/** What the agent says at the end of the JVM, and the whole account for whoever asks. */
final class LastWords implements Runnable {

  /** For the class path's indexes, which are read when spans are flushed. */
  private static final long READING_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long PATIENCE_MILLIS = 500;

  private final Settings settings;
  private final InnerLoader inner;
  private final Account account;

  LastWords(Settings settings, InnerLoader inner, Account account) {
    this.settings = settings;
    this.inner = inner;
    this.account = account;
  }

  @Override
  public void run() {
    account.unindexed().find(PATIENCE_MILLIS);
    if (AgentLog.saysInfo()) {
      statement().forEach(AgentLog::info);
    }
    int unindexed = account.unindexed().count();
    if (unindexed > 1) {
      AgentLog.warn(
          Account.number(unindexed) + " classes were compiled without roll-otel's processor");
    }
    if (account.isSilent()) {
      AgentLog.warn("no call has made a span: " + account.view(settings));
    }
  }

  /** The account: its summary, then a line for each method that is missing. */
  @SuppressWarnings("unchecked") // it implements just this
  List<String> statement() {
    account.unindexed().find(PATIENCE_MILLIS);
    try {
      return (List<String>)
          Class.forName("io.rollotel.agent.account.Statement", true, inner)
              .asSubclass(BiFunction.class)
              .getConstructor()
              .newInstance()
              .apply(account, System.nanoTime() + READING_NANOS);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return List.of("the account cannot be drawn up: " + e, account.view(settings));
    }
  }
}
