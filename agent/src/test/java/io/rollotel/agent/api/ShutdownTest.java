package io.rollotel.agent.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.OpenTelemetry;
import io.rollotel.agent.ledger.ExitReport;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.Stderr;
import io.rollotel.agent.sdk.SdkTracing;
import io.rollotel.agent.settings.CurrentSettings;
import io.rollotel.agent.settings.TestSettings;
import io.rollotel.agent.weave.WovenMethod;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end comes while a copy of the API is being opened: in its first use. */
class ShutdownTest {

  private @TempDir Path directory;

  private final Ledger ledger = new Ledger();
  private final TracingCopies tracings = new TracingCopies();
  private final SdkTracing tracing = new SdkTracing(ledger, getClass().getClassLoader());
  private Runnable firstUse = () -> {};
  private CurrentSettings settings;
  private SharedParts shared;
  private Shutdown shutdown;

  @BeforeEach
  void make() {
    settings = new CurrentSettings(TestSettings.of("output.dir=" + directory));
    shared = new SharedParts(settings, () -> firstUse.run());
    shutdown = new Shutdown(null, settings, shared, tracings, new ExitReport(settings, ledger));
  }

  @AfterEach
  void leaveNoExitHook() {
    shutdown.detach();
  }

  @Test
  void detachedWhileACopyIsOpened_nothingIsBuilt() {
    firstUse = shutdown::detach;
    open();
    assertNothingIsBuilt();
    assertThat(tracing.forWorkers()).containsKey("ROLL_OTEL_RUN_ID");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void detachedBeforeACopyIsOpened_nothingIsBuilt() {
    tracings.add(tracing);
    shutdown.detach();
    firstUse =
        () -> {
          throw new AssertionError("no first use");
        };
    tracing.open(shared);
    assertNothingIsBuilt();
    assertThat(tracing.forWorkers()).containsKey("ROLL_OTEL_RUN_ID");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void jvmThatEndsWhileACopyIsOpened_buildsNothing() {
    firstUse = shutdown;
    open();
    assertNothingIsBuilt();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void endThatTheUserAsksFor_letsTheSdkBeBuilt() {
    firstUse = shutdown::byUser;
    open();
    assertThat(tracing.openTelemetry()).isNotSameAs(OpenTelemetry.noop());
  }

  @Test
  void workThatNeverReturns_doesNotHoldTheEndOfTheJvm() throws Exception {
    settings = new CurrentSettings(TestSettings.of("exit.timeout=10ms,output.dir=" + directory));
    shutdown = new Shutdown(null, settings, shared, tracings, new ExitReport(settings, ledger));
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    shutdown.beforeExit(
        () -> {
          while (release.getCount() > 0) {
            try {
              release.await();
            } catch (InterruptedException e) {
              // It returns for nobody.
            }
          }
          released.countDown();
        });
    try (Stderr stderr = new Stderr()) {
      shutdown.end(10);
      assertThat(released.getCount()).isOne();
      assertThat(stderr.lines()).singleElement().asString().contains("did not shut down in time");
    }
    release.countDown();
    released.await();
  }

  @Test
  void endThatIsInterrupted_waitsAllTheSameAndKeepsTheInterrupt() {
    AtomicBoolean isDone = new AtomicBoolean();
    shutdown.beforeExit(
        () -> {
          try {
            Thread.sleep(100); // longer than an interrupted wait takes
          } catch (InterruptedException e) {
            return;
          }
          isDone.set(true);
        });
    Thread.currentThread().interrupt();
    shutdown.end(TimeUnit.MINUTES.toMillis(10));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(isDone).isTrue();
  }

  /** Like application code that shapes the SDK and does not return. */
  @Test
  void sdkThatIsNeverBuilt_doesNotHoldTheEnd() throws Exception {
    open();
    CountDownLatch locked = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Thread building =
        new Thread(
            () -> {
              synchronized (tracing) {
                locked.countDown();
                try {
                  release.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              }
            });
    building.start();
    locked.await();
    tracing.close(System.nanoTime(), true);
    tracing.flush(0);
    release.countDown();
    building.join();
    assertNothingIsBuilt();
  }

  @Test
  void callAfterTheEnd_isNotCountedAsCalled() throws Throwable {
    HookTarget target =
        new HookTarget(
            new ApiCopies(settings, shared, ledger, tracings, shutdown),
            shared,
            shutdown,
            tracings,
            ledger);
    shutdown.detach();
    String facts =
        new WovenMethod(
                "acme.Worker",
                "train",
                "()V",
                "void",
                true,
                "worker.train",
                "INTERNAL",
                List.of(),
                List.of())
            .format();
    MethodType type = MethodType.methodType(Object.class);
    MethodHandle started = target.start(MethodHandles.lookup(), type, facts);
    MethodHandle sent = target.dispatch(MethodHandles.lookup(), type, facts);
    assertThat(started.invoke()).isNull();
    assertThat(sent.invoke()).isNull();
    assertThat(ledger.methods()).isEmpty();
  }

  private void open() {
    tracings.add(tracing);
    tracing.open(shared);
  }

  /** The SDK's thread starts and ends with it. */
  private void assertNothingIsBuilt() {
    assertThat(tracing.openTelemetry()).isSameAs(OpenTelemetry.noop());
  }
}
