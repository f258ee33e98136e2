package io.rollotel.agent.ray;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.ray.api.BaseActorHandle;
import io.ray.api.id.ActorId;
import io.ray.runtime.AbstractRayRuntime;
import io.ray.runtime.functionmanager.JavaFunctionDescriptor;
import io.ray.runtime.functionmanager.PyFunctionDescriptor;
import io.ray.runtime.generated.Common;
import io.ray.runtime.object.NativeRayObject;
import io.ray.runtime.object.ObjectRefImpl;
import io.rollotel.agent.api.RemoteSpan;
import io.rollotel.agent.hook.RayHook;
import io.rollotel.agent.log.Stderr;
import io.rollotel.agent.settings.CurrentSettings;
import io.rollotel.agent.settings.TestSettings;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls as their senders trace them. */
class RayCallsTest extends RayCallsFixture {

  @ParameterizedTest
  @CsvSource({
    "function, function, Rank.step ray.remote",
    "actor's method, actor, Rank.step ray.remote",
    "new actor, actor, Rank.<init> ray.remote",
  })
  void sending_startsAProducerThatSaysWhatIsCalled(String what, String remote, String name)
      throws Throwable {
    RayCalls calls = calls("");
    boolean isNew = what.equals("new actor");
    BaseActorHandle actor = what.equals("actor's method") ? () -> new ActorId("actor-1") : null;
    Object returned = isNew ? actor("actor-2") : new ObjectRefImpl(TASK_ID + "00000001");

    Object runtime = cluster("NORMAL_TASK");
    Object started =
        isNew ? calls.creating(runtime, CREATION) : calls.sending(runtime, STEP, actor, false);
    calls.sent(started, returned, null);

    Recorded span = onlySpan();
    assertThat(span.name).isEqualTo(name);
    assertThat(span.kind).isEqualTo("PRODUCER");
    assertThat(span.ended).isTrue();
    assertThat(span.attributes)
        .containsEntry("ray.remote", remote)
        .containsEntry("ray.function", isNew ? "com.acme.Rank.<init>" : "com.acme.Rank.step")
        .containsEntry("ray.pid", Long.toString(ProcessHandle.current().pid()))
        .containsEntry("ray.job_id", "job")
        .containsEntry("ray.node_id", "node");
    if (remote.equals("actor")) {
      assertThat(span.attributes)
          .containsEntry("ray.actor_class", "com.acme.Rank")
          .containsEntry("ray.actor_method", isNew ? "<init>" : "step")
          .containsEntry("ray.actor_id", isNew ? "actor-2" : "actor-1");
    }
    assertThat(span.attributes)
        .containsEntry("ray.task_id", isNew ? "ffffffffffffffffactor-2" : TASK_ID);
  }

  @ParameterizedTest
  @CsvSource({
    "a constructor,              Rank,     <init>,           ()V,                       Rank.<init>,       Rank",
    "a factory,                  Factory,  make,             (I)Lcom/acme/Rank;,        Rank.<init>,       Rank",
    "a factory of an inner one,  Factory,  make,             ()Lcom/acme/Jobs$Rank;,    Jobs.Rank.<init>,  Jobs$Rank",
    "a lambda,                   Driver,   lambda$main$0,    ()Lcom/acme/Rank;,         Rank.<init>,       Rank",
    "a factory of anything,      Factory,  make,             ()Ljava/lang/Object;,      Factory.make,      Factory",
    "a factory from Python,      Factory,  make,             '',                        Factory.make,      Factory",
  })
  void actor_isCalledAfterItsOwnClass(
      String madeBy, String type, String method, String signature, String name, String actorClass)
      throws Throwable {
    RayCalls calls = calls("");
    List<String> function = List.of("com.acme." + type, method, signature);
    Object asked = calls.creating(cluster("NORMAL_TASK"), new JavaFunctionDescriptor(function));
    calls.sent(asked, actor("actor-2"), null);
    calls.executed(calls.executing(executor("ACTOR_CREATION_TASK"), function, List.of()), null);

    assertThat(spans)
        .as(madeBy)
        .extracting(span -> span.name)
        .containsExactly(name + " ray.remote", name + " ray.remote_worker");
    assertThat(spans)
        .as(madeBy)
        .allSatisfy(
            span ->
                assertThat(span.attributes)
                    .containsEntry("ray.remote", "actor")
                    .containsEntry("ray.actor_class", "com.acme." + actorClass)
                    .containsEntry("ray.function", "com.acme." + type + "." + method));
    assertThat(spans.get(0).attributes).containsEntry("ray.task_id", "ffffffffffffffffactor-2");
  }

  @Test
  void factoryThatIsATask_keepsItsName() throws Throwable {
    RayCalls calls = calls("");
    Object function =
        new JavaFunctionDescriptor(List.of("com.acme.Factory", "make", "()Lcom/acme/Rank;"));
    calls.sent(calls.sending(cluster("NORMAL_TASK"), function, null, false), null, null);
    assertThat(onlySpan().name).isEqualTo("Factory.make ray.remote");
    assertThat(onlySpan().attributes).containsEntry("ray.remote", "function");
  }

  @Test
  void pythonsFunction_isNamedByItsClassAndMethod() throws Throwable {
    RayCalls calls = calls("");
    Object function = new PyFunctionDescriptor(List.of("acme.jobs", "Rank", "step", ""));
    calls.sent(calls.sending(cluster("NORMAL_TASK"), function, null, false), null, null);
    assertThat(onlySpan().name).isEqualTo("Rank.step ray.remote");
    assertThat(onlySpan().attributes).containsEntry("ray.function", "acme.jobs.Rank.step");
  }

  @ParameterizedTest
  @CsvSource({
    "false, function, aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaffffffff",
    "false, actor, aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabcdef12",
    "true, function, ''",
  })
  void voidCall_asksForItsTaskBeforehand(boolean isLocal, String what, String taskId)
      throws Throwable {
    RayCalls calls = calls("");
    BaseActorHandle actor = what.equals("actor") ? () -> new ActorId("abcdef12") : null;
    calls.sent(calls.sending(runtime("NORMAL_TASK", isLocal), STEP, actor, true), null, null);
    assertThat(onlySpan().attributes.get("ray.task_id")).isEqualTo(taskId);
  }

  @Test
  void localMode_takesTheTaskFromItsDescription() throws Throwable {
    RayCalls calls = calls("");
    Object started = calls.sending(runtime("NORMAL_TASK", true), STEP, null, true);
    calls.submitting(new Common.TaskSpec(new Common.Bytes(new byte[] {0x0a, (byte) 0xff})));
    calls.sent(started, null, null);
    assertThat(onlySpan().attributes)
        .containsEntry("ray.task_id", "0aff")
        .containsEntry("ray.node_id", "")
        .containsEntry("ray.job_id", "job");
  }

  @Test
  void clustersIds_areAskedOnce() throws Throwable {
    RayCalls calls = calls("");
    AbstractRayRuntime runtime = cluster("NORMAL_TASK");
    for (int i = 0; i < 3; i++) {
      calls.sent(calls.sending(runtime, STEP, null, false), null, null);
    }
    assertThat(runtime.nodeQuestions).isOne();
  }

  @Test
  void callThatCannotBeSubmitted_endsWithItsException() throws Throwable {
    RayCalls calls = calls("");
    IllegalStateException thrown = new IllegalStateException("no cluster");
    Object started = calls.sending(cluster("NORMAL_TASK"), STEP, null, false);
    calls.sent(started, null, thrown);
    assertThat(onlySpan().thrown).isSameAs(thrown);
  }

  @Test
  void callInsideACall_hasItsOwnArguments() throws Throwable {
    RayCalls calls = calls("");
    AbstractRayRuntime runtime = cluster("NORMAL_TASK");
    NativeRayObject outerArgument = value("JAVA");
    NativeRayObject innerArgument = value("JAVA");

    Object outer = calls.sending(runtime, STEP, null, false);
    current = "inner";
    Object inner = calls.sending(runtime, STEP, null, false);
    calls.carry(innerArgument);
    calls.sent(inner, null, null);
    calls.carry(outerArgument);
    calls.sent(outer, null, null);

    assertThat(carriedBy(innerArgument)).isEqualTo("inner");
    assertThat(carriedBy(outerArgument)).isEqualTo(TRACEPARENT);
  }

  @Test
  void tracingThatHasEnded_leavesTheCallAlone() throws Throwable {
    RayCalls calls = calls("", null);
    NativeRayObject argument = value("JAVA");
    assertThat(calls.sending(cluster("NORMAL_TASK"), STEP, null, false)).isNull();
    calls.carry(argument);
    calls.submitting(new Common.TaskSpec(new Common.Bytes(new byte[0])));
    assertThat(carriedBy(argument)).isNull();
    assertThat(calls.executing(executor("NORMAL_TASK"), STEP.toList(), List.of())).isNull();
    calls.phase("exec");
    calls.caught(new IllegalStateException());
  }

  // ---- the context on its way

  @ParameterizedTest
  @CsvSource({
    "JAVA, true",
    "XLANG, true",
    "RAW, true",
    "ACTOR_HANDLE, true",
    "3, false",
    "'PYTHON,DEBUG:1', false",
  })
  void context_goesWithTheArgumentThatHasRoomForIt(String type, boolean room) throws Throwable {
    RayCalls calls = calls("");
    NativeRayObject argument = value(type);
    byte[] before = argument.metadata;

    Object started = calls.sending(cluster("NORMAL_TASK"), STEP, null, false);
    calls.carry(argument);
    calls.sent(started, null, null);

    assertThat(carriedBy(argument)).isEqualTo(room ? TRACEPARENT : null);
    assertThat(new String(before, US_ASCII)).as("shared by all values").isEqualTo(type);
    assertThat(onlySpan().attributes.get("roll.join"))
        .as("how readers find the other end")
        .isEqualTo(room ? null : "ray.task_id");
  }

  @Test
  void context_goesWithOneArgumentAlone() throws Throwable {
    RayCalls calls = calls("");
    NativeRayObject reference = value("3");
    NativeRayObject first = value("JAVA");
    NativeRayObject second = value("JAVA");
    Object started = calls.sending(cluster("NORMAL_TASK"), STEP, null, false);
    calls.carry("an object's reference");
    calls.carry(reference);
    calls.carry(first);
    calls.carry(second);
    calls.sent(started, null, null);
    calls.carry(value("JAVA"));
    assertThat(carriedBy(reference)).isNull();
    assertThat(carriedBy(first)).isEqualTo(TRACEPARENT);
    assertThat(carriedBy(second)).isNull();
  }

  @Test
  void suppressedCall_carriesThatAndNothingElse() throws Throwable {
    isRecording = false;
    current = RemoteSpan.SUPPRESSED;
    RayCalls calls = calls("");
    AbstractRayRuntime runtime = cluster("NORMAL_TASK");
    NativeRayObject argument = value("JAVA");

    Object started = calls.sending(runtime, STEP, null, true);
    calls.carry(argument);
    calls.submitting(new Common.TaskSpec(new Common.Bytes(new byte[] {1})));
    calls.sent(started, new ObjectRefImpl(TASK_ID + "00000001"), null);

    assertThat(carriedBy(argument)).isEqualTo(RemoteSpan.SUPPRESSED);
    assertThat(onlySpan().attributes).isEmpty();
    assertThat(onlySpan().ended).isTrue();
    assertThat(runtime.nodeQuestions).isZero();
  }

  @Test
  void taskOfTheAgents_isNotSeen() throws Throwable {
    RayCalls calls = workersCalls("");
    JavaFunctionDescriptor left =
        new JavaFunctionDescriptor(List.of(RayHook.class.getName(), "left", ""));
    NativeRayObject argument = value("JAVA");
    Object sending = calls.sending(cluster("NORMAL_TASK"), left, null, false);
    calls.carry(argument);
    Object execution =
        calls.executing(executor("NORMAL_TASK"), left.toList(), List.of(carrying(TRACEPARENT, 7)));
    assertThat(sending).isNull();
    assertThat(carriedBy(argument)).isNull();
    assertThat(execution).isNull();
    assertThat(spans).isEmpty();
    assertThat(inForce.get().otelArguments().get(1)).as("nor is the worker named").isEmpty();
  }

  // ---- what does not fit

  @Test
  void versionOfRayThatIsNotKnown_isSaidAndLeavesTheSpanEnded() throws Throwable {
    RayCalls calls =
        new RayCalls(
            new CurrentSettings(TestSettings.of("")), new ClassLoader(null) {}, loader -> tracing);
    try (Stderr stderr = new Stderr()) {
      assertThat(catchThrowable(() -> calls.sending(cluster("NORMAL_TASK"), STEP, null, false)))
          .isInstanceOf(ClassNotFoundException.class);
      assertThat(stderr.lines()).singleElement().asString().contains("this version of Ray");
    }
    assertThat(spans).isEmpty();
  }

  @Test
  void idsThatCannotBeAsked_leaveTheCallItsSpan() throws Throwable {
    RayCalls calls = calls("");
    try (Stderr stderr = new Stderr()) {
      Object started = calls.sending("not a runtime", STEP, null, false);
      calls.sent(started, null, null);
    }
    assertThat(onlySpan().ended).isTrue();
  }
}
