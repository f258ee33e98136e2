package io.rollotel.agent.ray;

import static org.assertj.core.api.Assertions.assertThat;

import io.ray.runtime.AbstractRayRuntime;
import io.ray.runtime.exception.RayIntentionalSystemExitException;
import io.ray.runtime.task.TaskExecutor;
import io.rollotel.agent.api.RemoteSpan;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls as the workers that execute them trace them, and the ends of workers. */
class RayExecutionsTest extends RayCallsFixture {

  @ParameterizedTest
  @CsvSource({
    "NORMAL_TASK, function",
    "ACTOR_TASK, actor",
    "ACTOR_CREATION_TASK, actor",
  })
  void executing_isAConsumerThatSaysWhereItRuns(String type, String remote) throws Throwable {
    RayCalls calls = calls("");
    Object started =
        calls.executing(executor(type), STEP.toList(), List.of(carrying(TRACEPARENT, 7)));
    calls.executed(started, null);

    Recorded span = onlySpan();
    assertThat(span.name).isEqualTo("Rank.step ray.remote_worker");
    assertThat(span.kind).isEqualTo("CONSUMER of com.acme.Rank.step");
    assertThat(span.parent).isEqualTo(TRACEPARENT);
    assertThat(span.sentAt).isEqualTo(7);
    assertThat(span.attributes)
        .containsEntry("ray.remote", remote)
        .containsEntry("ray.task_id", "task")
        .containsEntry("ray.job_id", "job")
        .containsEntry("ray.node_id", "node")
        .containsEntry("ray.worker_id", "worker")
        .doesNotContainKey("roll.join");
    assertThat(span.attributes.get("ray.actor_id"))
        .isEqualTo(remote.equals("actor") ? "actor" : null);
    assertThat(span.ended).isTrue();
    assertThat(span.thrown).isNull();
  }

  @Test
  void contextBehindOtherArguments_isFound() throws Throwable {
    RayCalls calls = calls("");
    List<Object> arguments = List.of("reference", value("3"), carrying(TRACEPARENT, 7));
    calls.executed(calls.executing(executor("NORMAL_TASK"), STEP.toList(), arguments), null);
    assertThat(onlySpan().parent).isEqualTo(TRACEPARENT);
  }

  @Test
  void suppressedSender_isSaidToTheTracing() throws Throwable {
    isRecording = false;
    RayCalls calls = calls("");
    List<Object> arguments = List.of(carrying(RemoteSpan.SUPPRESSED, 7));
    calls.executed(calls.executing(executor("NORMAL_TASK"), STEP.toList(), arguments), null);
    assertThat(onlySpan().parent).isEqualTo(RemoteSpan.SUPPRESSED);
    assertThat(onlySpan().attributes).isEmpty();
  }

  @Test
  void noContext_leavesARootThatReadersJoinByItsTask() throws Throwable {
    RayCalls calls = calls("");
    List<Object> arguments = List.of(value("JAVA"));
    calls.executed(calls.executing(executor("NORMAL_TASK"), STEP.toList(), arguments), null);
    assertThat(onlySpan().parent).isNull();
    assertThat(onlySpan().sentAt).isZero();
    assertThat(onlySpan().attributes)
        .containsEntry("roll.join", "ray.task_id")
        .containsEntry("ray.task_id", "task");
  }

  @Test
  void localModesNestedExecution_hasItsOwnPhasesAndLeavesTheOuterOneBehind() throws Throwable {
    RayCalls calls = calls("");
    TaskExecutor executor = executor("NORMAL_TASK");
    Object outer = calls.executing(executor, STEP.toList(), List.of(value("JAVA")));
    Object inner = calls.executing(executor, STEP.toList(), List.of());
    calls.phase("prefetch");
    calls.phase("exec");
    calls.executed(inner, null);
    calls.phase("prefetch");
    calls.executed(outer, null);
    calls.phase("to_remote");
    assertThat(spans.get(0).phases).containsExactly("prefetch");
    assertThat(spans.get(1).phases).as("there is nothing to fetch").containsExactly("exec");
  }

  @Test
  void usersException_isTheFailureAndNotWhatFollows() throws Throwable {
    RayCalls calls = calls("");
    IllegalStateException users = new IllegalStateException("my fault");
    IllegalStateException rays = new IllegalStateException("cannot be serialised");
    Object started = calls.executing(executor("NORMAL_TASK"), STEP.toList(), List.of());
    calls.caught(users);
    calls.caught(rays);
    calls.executed(started, rays);
    assertThat(onlySpan().thrown).isSameAs(users);
  }

  @Test
  void exceptionThatNobodyCaught_isTheFailure() throws Throwable {
    RayCalls calls = calls("");
    IllegalStateException thrown = new IllegalStateException("ray's fault");
    calls.executed(calls.executing(executor("NORMAL_TASK"), STEP.toList(), List.of()), thrown);
    assertThat(onlySpan().thrown).isSameAs(thrown);
  }

  @Test
  void actorThatExits_hasNotFailedAndIsFlushedAtOnce() throws Throwable {
    RayCalls calls = calls("exit.timeout=5");
    Object started = calls.executing(executor("ACTOR_TASK"), STEP.toList(), List.of());
    calls.caught(new RayIntentionalSystemExitException());
    calls.executed(started, null);
    assertThat(onlySpan().thrown).isNull();
    assertThat(events).containsExactly("flush 5000 ms");
  }

  // ---- Ray's workers

  @Test
  void driver_isNotFlushedForACall() throws Throwable {
    execute(calls(""), null);
    assertThat(events).isEmpty();
  }

  @Test
  void worker_isFlushedAfterItsFirstTaskAndSoonAfterTheOthers() throws Throwable {
    RayCalls calls = workersCalls("");
    execute(calls, null);
    execute(calls, null);
    execute(calls, new IllegalStateException());
    assertThat(events).containsExactly("flush 2000 ms", "say", "flush soon", "flush 2000 ms");
  }

  @ParameterizedTest
  @CsvSource({
    "ACTOR_CREATION_TASK, '', Rank",
    "NORMAL_TASK, '', ray-worker",
    "NORMAL_TASK, otel.service.name=mine, ''",
  })
  void worker_isNamedByWhatItRunsUnlessTheUserHasNamedIt(String type, String settings, String name)
      throws Throwable {
    RayCalls calls = workersCalls(settings);
    for (int i = 0; i < 2; i++) {
      calls.executed(calls.executing(executor(type), STEP.toList(), List.of()), null);
    }
    assertThat(inForce.get().otelArguments().get(1))
        .isEqualTo(name.isEmpty() ? Map.of() : Map.of("otel.service.name", name));
  }

  // ---- the object store

  @Test
  void verbose_hasSpansOfTheObjectStore() throws Throwable {
    RayCalls calls = calls("ray=verbose");
    AbstractRayRuntime runtime = cluster("NORMAL_TASK");
    Object outer = calls.using("get", runtime, 2);
    Object inner = calls.using("put", runtime, 1);
    calls.bytes(value("JAVA"));
    calls.used(inner, null);
    calls.bytes(List.of(value("JAVA"), value("RAW"), "no value"));
    IllegalStateException thrown = new IllegalStateException("lost");
    calls.used(outer, thrown);
    calls.bytes(value("JAVA"));

    assertThat(spans).extracting(span -> span.name).containsExactly("ray.get", "ray.put");
    assertThat(spans).allMatch(span -> span.ended && span.kind.equals("INTERNAL"));
    assertThat(spans.get(0).attributes).isEqualTo(Map.of("ray.objects", 2L, "ray.bytes", 6L));
    assertThat(spans.get(0).thrown).isSameAs(thrown);
    assertThat(spans.get(1).attributes).isEqualTo(Map.of("ray.objects", 1L, "ray.bytes", 3L));
    assertThat(spans.get(1).thrown).isNull();
  }

  @Test
  void useThatMovesNothing_hasNoBytes() throws Throwable {
    RayCalls calls = calls("ray=verbose");
    calls.used(calls.using("wait", cluster("NORMAL_TASK"), 4), null);
    assertThat(onlySpan().attributes).isEqualTo(Map.of("ray.objects", 4L));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "ray=on"})
  void notVerbose_leavesTheObjectStoreAlone(String settings) throws Throwable {
    RayCalls calls = calls(settings);
    assertThat(calls.using("put", cluster("NORMAL_TASK"), 2)).isNull();
    calls.used(calls.using("get", cluster("NORMAL_TASK"), 2), null);
    calls.bytes(value("JAVA"));
    assertThat(spans).isEmpty();
  }

  // ---- the end of workers

  private static final long GRACE = TimeUnit.MILLISECONDS.toNanos(200);

  @ParameterizedTest
  @CsvSource({"call, ''", "get, ''", "wait, ''", "get, ray=verbose"})
  void workersThatAreEnded_shareOneGraceAfterTheLastUseOfRay(String use, String settings)
      throws Throwable {
    RayCalls calls = calls(settings);
    AbstractRayRuntime runtime = cluster("NORMAL_TASK");
    long before = System.nanoTime();
    if (use.equals("call")) {
      calls.sent(calls.sending(runtime, STEP, null, false), null, null);
    } else {
      calls.used(calls.using(use, runtime, 1), null);
    }
    long after = System.nanoTime();
    assertThat(calls.job.graceNanos(GRACE, after)).isBetween(0L, GRACE);
    assertThat(calls.job.graceNanos(GRACE, before)).as("whatever the clock does").isEqualTo(GRACE);
    assertThat(calls.job.graceNanos(GRACE, before + GRACE / 2)).isGreaterThanOrEqualTo(GRACE / 2);
    assertThat(calls.job.graceNanos(GRACE, after + GRACE)).as("all others").isZero();
  }

  @Test
  void workersThatAreEndedBeforeAnyCall_areNotWaitedFor() {
    RayCalls calls = calls("");
    assertThat(calls.job.graceNanos(GRACE, System.nanoTime())).isZero();
  }
}
