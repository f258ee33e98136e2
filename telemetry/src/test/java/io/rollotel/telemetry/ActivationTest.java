package io.rollotel.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.context.Scope;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps and scopes that overlap: what is current, and what the thread keeps. */
class ActivationTest extends SdkFixture {

  private static final ContextKey<String> APPLICATION = ContextKey.named("application");
  private static final int STEPS = 3_000;

  private final RunTelemetry runs = RunTelemetry.builder().build();
  private final ExecutorService another = Executors.newSingleThreadExecutor();

  @AfterEach
  void stop() {
    another.shutdown();
  }

  private void elsewhere(AutoCloseable closing) throws Exception {
    Future<?> done =
        another.submit(
            () -> {
              closing.close();
              return null;
            });
    done.get();
  }

  /** Those that the current context of this thread keeps alive. */
  private static int reachable() {
    Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Object> open = new ArrayDeque<>(List.of(Context.current()));
    int found = 0;
    while (!open.isEmpty()) {
      Object next = open.poll();
      if (!seen.add(next)) {
        continue;
      }
      found += next instanceof Activation ? 1 : 0;
      if (next instanceof Collection<?> all) {
        open.addAll(all);
      } else if (next instanceof Object[] all) {
        for (int i = 0; i < all.length; i++) {
          addTo(open, Array.get(all, i));
        }
      } else if (next.getClass().getName().startsWith("io.")) {
        addFields(open, next);
      }
    }
    return found;
  }

  private static void addFields(Deque<Object> open, Object holder) {
    for (Class<?> type = holder.getClass();
        type != null && type.getName().startsWith("io.");
        type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
          try {
            field.setAccessible(true);
            addTo(open, field.get(holder));
          } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
          }
        }
      }
    }
  }

  private static void addTo(Deque<Object> open, Object value) {
    if (value != null) {
      open.add(value);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "steps, 1, false",
    "steps, 2, false",
    "steps, 20, false",
    "steps, 1, true",
    "steps, 3, true",
    "scopes, 1, false",
    "scopes, 5, false",
    "scopes, 3, true",
    "runs, 1, false",
    "runs, 4, true",
    "both, 2, false",
    "both, 7, true"
  })
  void slidingWindow_keepsWhatIsOpen(String kind, int open, boolean isClosedElsewhere)
      throws Exception {
    Deque<AutoCloseable> window = new ArrayDeque<>();
    Run run = runs.runStarted("run", "task", "here");
    for (int i = 0; i < STEPS; i++) {
      Run of = kind.equals("runs") ? runs.runStarted("run " + i, "task", "here") : run;
      boolean isStep = kind.equals("steps") || kind.equals("both") && i % 2 == 0;
      AutoCloseable opened = isStep ? of.step(i, "act") : of.makeCurrent();
      window.add(opened);
      if (window.size() > open) {
        AutoCloseable oldest = window.poll();
        if (isClosedElsewhere) {
          elsewhere(oldest);
        } else {
          oldest.close();
        }
      }
      if (kind.equals("runs")) {
        of.end(true, null, null);
      }
      if (i % 500 == 499) {
        assertThat(reachable()).as("after %s", i).isLessThanOrEqualTo(3 * (open + 2));
      }
    }
    for (AutoCloseable last : window) {
      last.close();
    }
    run.end(true, null, null);
    assertThat(Context.current()).isEqualTo(Context.root());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void anyOrderOfClosing_keepsLittleAndLeavesNothingCurrent(long seed) throws Exception {
    Random random = new Random(seed);
    List<AutoCloseable> open = new ArrayList<>();
    int most = 1 + random.nextInt(30);
    Run run = runs.runStarted("run", "task", "here");
    for (int i = 0; i < STEPS; i++) {
      if (open.size() < most && random.nextBoolean()) {
        open.add(random.nextBoolean() ? run.step(i, "act") : run.makeCurrent());
      } else if (!open.isEmpty()) {
        AutoCloseable closing = open.remove(random.nextInt(open.size()));
        if (random.nextInt(10) == 0) {
          elsewhere(closing);
        } else {
          closing.close();
        }
      }
      if (i % 500 == 499) {
        assertThat(reachable()).isLessThanOrEqualTo(4 * (most + 2));
      }
    }
    for (AutoCloseable last : open) {
      last.close();
    }
    run.step(STEPS, "act").close();
    assertThat(Context.current()).isEqualTo(Context.root());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void neverClosed_areKeptUpToTheLimit(boolean areSteps) {
    Run run = runs.runStarted("run", "task", "here");
    for (int i = 0; i < STEPS; i++) {
      if (areSteps) {
        run.step(i, "act");
      } else {
        run.makeCurrent();
      }
    }
    assertThat(reachable()).isLessThan(2 * 1_024 + 10);
    assertThat(runs.status().detail()).contains(STEPS - 1_024 + " too many steps");
    run.end(true, null, null);
    assertThat(Context.current()).isEqualTo(Context.root());
  }

  @Test
  void scopeOfTheApplicationInBetween_staysAndIsReturnedFrom() {
    Run run = runs.runStarted("run", "task", "here");
    RunStep first = run.step(1, "act");
    Context application = Context.current().with(APPLICATION, "between");
    try (Scope scope = application.makeCurrent()) {
      first.close();
      assertThat(Context.current()).isEqualTo(application);
      RunStep second = run.step(2, "act");
      assertThat(Context.current().get(APPLICATION)).isEqualTo("between");
      second.close();
      assertThat(Context.current()).isEqualTo(application);
    }
    try (RunStep third = run.step(3, "act")) {
      assertThat(Context.current().get(APPLICATION)).isNull();
    }
    assertThat(Context.current()).as("not the step that was closed").isEqualTo(Context.root());
    run.end(true, null, null);
  }

  /** Work may go on after its step; what the step's thread had current is not its business. */
  @Test
  void contextTakenToAnotherThread_isLeftThereAsItWas() throws Exception {
    Run outer = runs.runStarted("outer", "task", "here");
    Run run = runs.runStarted("run", "task", "here");
    RunScope scope = outer.makeCurrent();
    RunStep step = run.step(1, "act");
    Runnable taken = Context.current().wrap(() -> run.step(2, "act").close());
    step.close();
    scope.close();
    another.submit(taken).get();
    assertThat(another.submit(Context::current).get()).isEqualTo(Context.root());
    run.end(true, null, null);
    outer.end(true, null, null);
  }

  /** What a run leaves open when it ends, and whether its own thread ends it. */
  @ParameterizedTest
  @CsvSource({"step, true", "scope, true", "step, false", "scope, false"})
  void leftOpenAtTheEndOfTheRun_isNotCurrentAnyMore(String kind, boolean isOwnThread)
      throws Exception {
    Span span = startSpan("pipeline_step");
    try (Scope pipeline = span.makeCurrent()) {
      Context before = Context.current();
      Run run = runs.runStarted("run", "task", "here");
      AutoCloseable left = kind.equals("step") ? run.step(1, "act") : run.makeCurrent();
      if (isOwnThread) {
        run.end(true, null, null);
      } else {
        elsewhere(run);
        runs.runStarted("next", "task", "here").end(true, null, null);
      }
      assertThat(Context.current()).isEqualTo(before);
      left.close();
      assertThat(Context.current()).isEqualTo(before);
    }
    span.end();
    assertThat(exporter.getFinishedSpanItems())
        .filteredOn(run -> run.getName().equals("rlm.run"))
        .allSatisfy(
            run -> assertThat(run.getParentSpanId()).isEqualTo(span.getSpanContext().getSpanId()));
  }

  @Test
  void runEndedInItsScope_isNoMisuse() {
    try (Run run = runs.runStarted("run", "task", "here");
        RunScope scope = run.makeCurrent()) {
      run.end(true, null, null);
    }
    assertThat(runs.ignored()).isZero();
    assertThat(Context.current()).isEqualTo(Context.root());
  }
}
