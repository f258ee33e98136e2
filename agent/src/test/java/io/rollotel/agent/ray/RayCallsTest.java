package io.rollotel.agent.ray;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.ray.api.BaseActorHandle;
import io.ray.api.id.ActorId;
import io.ray.runtime.AbstractRayRuntime;
import io.ray.runtime.context.WorkerContext;
import io.ray.runtime.exception.RayIntentionalSystemExitException;
import io.ray.runtime.functionmanager.JavaFunctionDescriptor;
import io.ray.runtime.functionmanager.PyFunctionDescriptor;
import io.ray.runtime.generated.Common;
import io.ray.runtime.object.NativeRayObject;
import io.ray.runtime.object.ObjectRefImpl;
import io.ray.runtime.task.TaskExecutor;
import io.rollotel.agent.api.RemoteSpan;
import io.rollotel.agent.api.Tracing;
import io.rollotel.agent.hook.RayHook;
import io.rollotel.agent.log.Stderr;
import io.rollotel.agent.settings.CurrentSettings;
import io.rollotel.agent.settings.TestSettings;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ray's calls with stubs in the place of Ray's classes and of the SDK's spans. */
class RayCallsTest {

  private static final String TRACEPARENT =
      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  private static final String TASK_ID = "c0ffee".repeat(8);
  private static final JavaFunctionDescriptor STEP =
      new JavaFunctionDescriptor(List.of("com.acme.Rank", "step", "(I)I"));
  private static final JavaFunctionDescriptor CREATION =
      new JavaFunctionDescriptor(List.of("com.acme.Rank", "<init>", "()V"));

  /** What the tracing did, in order. */
  private final List<String> events = new ArrayList<>();

  private final List<Recorded> spans = new ArrayList<>();
  private CurrentSettings inForce = new CurrentSettings(TestSettings.of(""));
  private final Tracing tracing = tracing();

  private boolean isRecording = true;
  private String current = TRACEPARENT;

  // ---- sending

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

  // ---- executing

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

  // ----

  private RayCalls calls(String settings) {
    return calls(settings, tracing);
  }

  private RayCalls calls(String settings, Tracing behind) {
    inForce = new CurrentSettings(TestSettings.of(settings));
    return new RayCalls(inForce, RayCallsTest.class.getClassLoader(), loader -> behind);
  }

  /** As in a process that Ray has started. */
  private RayCalls workersCalls(String settings) {
    String before = System.getProperty("sun.java.command");
    System.setProperty("sun.java.command", "io.ray.runtime.runner.worker.DefaultWorker");
    try {
      return calls(settings);
    } finally {
      System.setProperty("sun.java.command", before);
    }
  }

  private void execute(RayCalls calls, Throwable thrown) throws Throwable {
    calls.executed(calls.executing(executor("NORMAL_TASK"), STEP.toList(), List.of()), thrown);
  }

  private static AbstractRayRuntime cluster(String taskType) {
    return runtime(taskType, false);
  }

  private static AbstractRayRuntime runtime(String taskType, boolean isLocal) {
    return new AbstractRayRuntime(
        new WorkerContext("task", "job", "actor", "worker", taskType), isLocal);
  }

  private static TaskExecutor executor(String taskType) {
    return new TaskExecutor(cluster(taskType));
  }

  private static BaseActorHandle actor(String id) {
    return () -> new ActorId(id);
  }

  private static NativeRayObject value(String type) {
    return new NativeRayObject(new byte[3], type.getBytes(US_ASCII));
  }

  private static NativeRayObject carrying(String traceparent, long sentAt) {
    NativeRayObject value = value("JAVA");
    value.metadata = new Carried(traceparent, sentAt, null).behind(value.metadata);
    return value;
  }

  private static String carriedBy(NativeRayObject value) {
    Carried carried = Carried.of(value.metadata);
    return carried == null ? null : carried.traceparent();
  }

  private Recorded onlySpan() {
    assertThat(spans).hasSize(1);
    return spans.get(0);
  }

  /** Records the spans; methods that Ray's calls do not use throw. */
  private Tracing tracing() {
    return (Tracing)
        Proxy.newProxyInstance(
            Tracing.class.getClassLoader(),
            new Class<?>[] {Tracing.class},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "send" -> {
                  return recorded((String) arguments[0], (String) arguments[1], null, 0);
                }
                case "receive" -> {
                  return recorded(
                      (String) arguments[0],
                      "CONSUMER of " + arguments[1],
                      (String) arguments[2],
                      (long) arguments[3]);
                }
                case "flush" -> events.add("flush " + (long) arguments[0] / 1_000_000 + " ms");
                case "sayIfNobodyCollects" -> events.add("say");
                case "flushSoon" -> events.add("flush soon");
                default -> throw new UnsupportedOperationException(method.getName());
              }
              return null;
            });
  }

  private Recorded recorded(String name, String kind, String parent, long sentAt) {
    Recorded span = new Recorded(name, kind, parent, sentAt, isRecording, current);
    spans.add(span);
    return span;
  }

  private static final class Recorded extends RemoteSpan {

    final String name;
    final String kind;
    final String parent;
    final long sentAt;
    final boolean isRecording;
    final String traceparent;
    final Map<String, Object> attributes = new HashMap<>();
    final List<String> phases = new ArrayList<>();
    Throwable thrown;
    boolean ended;

    Recorded(
        String name,
        String kind,
        String parent,
        long sentAt,
        boolean isRecording,
        String traceparent) {
      this.name = name;
      this.kind = kind;
      this.parent = parent;
      this.sentAt = sentAt;
      this.isRecording = isRecording;
      this.traceparent = traceparent;
    }

    @Override
    public boolean isRecording() {
      return isRecording;
    }

    @Override
    public String traceparent() {
      return traceparent;
    }

    @Override
    public void set(String key, String value) {
      attributes.put(key, value);
    }

    @Override
    public void set(String key, long value) {
      attributes.put(key, value);
    }

    @Override
    public void failed(Throwable failure) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void phase(String name) {
      phases.add(name);
    }

    @Override
    public void end(Throwable failure) {
      assertThat(ended).as("ended twice").isFalse();
      ended = true;
      thrown = failure;
    }
  }
}
