package io.rollotel.agent.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.background.AgentThreads;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Hooks as the JDK keeps them: threads in a map, some of which may not have started yet. */
class ApplicationHooksTest {

  private static final long LONG_MILLIS = TimeUnit.MINUTES.toMillis(10);

  private final Map<Thread, Thread> map = new IdentityHashMap<>();
  private final ApplicationHooks hooks = new ApplicationHooks(map);
  private final CountDownLatch release = new CountDownLatch(1);

  @AfterEach
  void letHooksEnd() {
    release.countDown();
  }

  private Thread hook(Runnable work) {
    Thread hook = new Thread(work, "hook");
    hook.setDaemon(true);
    map.put(hook, hook);
    return hook;
  }

  private Thread hookThatHangs() {
    return hook(
        () -> {
          try {
            release.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  @Test
  void noHooks_areNotWaitedFor() {
    assertThat(hooks.areRunning()).isFalse();
    hooks.await(LONG_MILLIS);
  }

  @Test
  void ownThreadAndTheAgents_areNotWaitedFor() {
    map.put(Thread.currentThread(), Thread.currentThread());
    Thread other = AgentThreads.make("other-exit", () -> {});
    map.put(other, other);
    assertThat(hooks.areRunning()).isFalse();
    hooks.await(LONG_MILLIS);
  }

  @Test
  void hookThatIsStartedLater_isWaitedFor() {
    AtomicBoolean isDone = new AtomicBoolean();
    Thread hook = hook(() -> isDone.set(true));
    soon(hook::start);
    assertThat(hooks.areRunning()).isTrue();
    hooks.await(LONG_MILLIS);
    assertThat(isDone).isTrue();
    assertThat(hooks.areRunning()).isFalse();
  }

  /** As if the JDK had no memory for its thread. */
  @Test
  void hookThatIsNeverStarted_isGivenUp() {
    hook(() -> {});
    hooks.await(LONG_MILLIS);
    assertThat(hooks.areRunning()).isTrue();
  }

  @Test
  void hookThatNeverEnds_isGivenUp() {
    hookThatHangs().start();
    hookThatHangs().start();
    long beganNanos = System.nanoTime();
    hooks.await(50);
    assertThat(System.nanoTime() - beganNanos).isGreaterThanOrEqualTo(50_000_000);
    assertThat(hooks.areRunning()).isTrue();
  }

  @Test
  void waitThatIsInterrupted_goesOnAndKeepsTheInterrupt() {
    Thread hook = hookThatHangs();
    hook.start();
    soon(release::countDown);
    Thread.currentThread().interrupt();
    hooks.await(LONG_MILLIS);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(hook.isAlive()).isFalse();
  }

  /** Like a hook's class that says nothing sensible of itself. */
  @Test
  void hookWithoutAState_isGivenUp() {
    Thread hook =
        new Thread("hook") {
          @Override
          public State getState() {
            return State.NEW;
          }
        };
    map.put(hook, hook);
    hook.start();
    hooks.await(LONG_MILLIS);
    assertThat(hooks.areRunning()).isTrue();
  }

  /** On another thread, most likely while this one waits. */
  private static void soon(Runnable work) {
    Thread thread =
        new Thread(
            () -> {
              LockSupport.parkNanos(50_000_000);
              work.run();
            });
    thread.start();
  }
}
