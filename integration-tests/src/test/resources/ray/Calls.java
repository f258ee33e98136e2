package com.example;

import io.ray.api.ActorHandle;
import io.ray.api.ObjectRef;
import io.ray.api.PyActorHandle;
import io.ray.api.Ray;
import io.ray.api.function.PyActorClass;
import io.ray.api.function.PyActorMethod;
import io.ray.api.function.PyFunction;
import io.ray.api.function.RayFunc0;
import io.ray.api.function.RayFunc1;
import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.Register;
import java.io.File;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Each shape of a Ray call, inside a span of its own; a driver without a word about tracing. */
public class Calls {

  public static class Actor {
    private final int base;
    private final AtomicInteger calls = new AtomicInteger();

    public Actor() {
      base = 10;
    }

    public Actor(int base) {
      this.base = base;
    }

    public int plain(int x) {
      return base + x;
    }

    public int none() {
      return base;
    }

    public void nothing() {}

    public int size(float[] values) {
      return values.length;
    }

    public byte[] raw(byte[] bytes) {
      return bytes;
    }

    @Register(trace = true)
    public int worker(int x) {
      return base + x;
    }

    @Register(trace = true)
    public int payload(@MetaInfo Map<String, Object> metaInfo) {
      return metaInfo.size();
    }

    /** What a foreign driver can send of a payload: its text. */
    public int json(String text) {
      Map<String, Object> context = new HashMap<>();
      context.put("traceparent", text.replaceAll(".*\"traceparent\": \"([^\"]*)\".*", "$1"));
      Map<String, Object> metaInfo = new HashMap<>();
      metaInfo.put("_otel_ctx", context);
      return payload(metaInfo);
    }

    public int viaPython(int x) {
      return Ray.task(PyFunction.of("py_calls", "twice", Integer.class), x).remote().get();
    }

    public int fails(String why) {
      throw new IllegalStateException(why);
    }

    public int slow(int x) throws InterruptedException {
      Thread.sleep(100);
      return x;
    }

    public int diesOnce(String file) throws Exception {
      if (new File(file).createNewFile()) {
        Runtime.getRuntime().halt(1);
      }
      return base;
    }

    /** How many calls it has been busy for. */
    public int calls() {
      return calls.get();
    }

    /** Until it is killed. */
    @Register(trace = true)
    public int busyAlone() throws Exception {
      while (true) {
        worker(calls.incrementAndGet());
        Thread.sleep(10);
      }
    }

    /** Until it is killed. */
    @Register(trace = true)
    public int busy(String file) throws Exception {
      for (int i = 0; ; i++) {
        worker(i);
        if (i == 20) {
          new File(file).createNewFile();
        }
        Thread.sleep(10);
      }
    }

    public int leave() {
      Ray.exitActor();
      return 0;
    }

    public String pid() {
      return Long.toString(ProcessHandle.current().pid());
    }
  }

  public static int deeper(int more) {
    return more == 0 ? 0 : 1 + Ray.task(Calls::deeper, more - 1).remote().get();
  }

  public static int seven() {
    return 7;
  }

  @Register(trace = true)
  static Object byValue() {
    return actor().task(Actor::plain, 1).remote().get();
  }

  @Register(trace = true)
  static Object noArguments() {
    return actor().task(Actor::none).remote().get();
  }

  @Register(trace = true)
  static Object noResult() {
    ActorHandle<Actor> actor = actor();
    actor.task(Actor::nothing).remote();
    return actor.task(Actor::plain, 0).remote().get(); // after it, in the same actor
  }

  @Register(trace = true)
  static Object reference() {
    return actor().task(Actor::plain, Ray.put(2)).remote().get();
  }

  @Register(trace = true)
  static Object large() {
    return actor().task(Actor::size, new float[200_000]).remote().get();
  }

  @Register(trace = true)
  static Object bytes() {
    return actor().task(Actor::raw, new byte[3]).remote().get().length;
  }

  public static Actor made() {
    return new Actor();
  }

  public static Actor made(int base) {
    return new Actor(base);
  }

  /** By factories with an argument and without, and by a lambda. */
  @Register(trace = true)
  static Object factories() {
    RayFunc0<Actor> lambda = () -> new Actor(30);
    RayFunc0<Actor> factory = Calls::made;
    return calledAlone(Ray.actor((RayFunc1<Integer, Actor>) Calls::made, 20).remote())
        + calledAlone(Ray.actor(factory).remote())
        + calledAlone(Ray.actor(lambda).remote());
  }

  /**
   * One actor after the other: Ray's LOCAL mode mixes up actors that run at the same time (its
   * issue 61827).
   */
  private static int calledAlone(ActorHandle<Actor> actor) {
    KEPT.add(actor);
    return actor.task(Actor::plain, 1).remote().get();
  }

  @Register(trace = true)
  static Object function() {
    return Ray.task(Calls::seven).remote().get();
  }

  @Register(trace = true)
  static Object nested() {
    return Ray.task(Calls::deeper, 2).remote().get();
  }

  @Register(trace = true)
  static Object workerMethod() {
    return actor().task(Actor::worker, 3).remote().get();
  }

  @Register(trace = true)
  static Object carrier(@MetaInfo Map<String, Object> metaInfo) {
    return actor().task(Actor::payload, metaInfo).remote().get();
  }

  @Register(trace = true)
  static Object failing() {
    try {
      return actor().task(Actor::fails, "my fault").remote().get();
    } catch (RuntimeException e) {
      return e.getClass().getSimpleName() + " of " + e.getCause().getMessage();
    }
  }

  @Register(trace = true)
  static Object retried(String folder) {
    return Ray.actor(Actor::new, 10)
        .setMaxRestarts(1)
        .setMaxTaskRetries(-1) // one may go to the process that is dead already
        .remote()
        .task(Actor::diesOnce, folder + "/died")
        .remote()
        .get();
  }

  @Register(trace = true)
  static Object killed() {
    ActorHandle<Actor> actor = actor();
    Object result = actor.task(Actor::plain, 5).remote().get();
    actor.kill();
    return result;
  }

  @Register(trace = true)
  static Object killedBusy(String folder) throws InterruptedException {
    ActorHandle<Actor> actor = actor();
    ObjectRef<Integer> never = actor.task(Actor::busy, folder + "/busy").remote();
    while (!new File(folder, "busy").exists()) {
      Thread.sleep(10); // between two looks
    }
    actor.kill();
    try {
      return never.get();
    } catch (RuntimeException e) {
      return e.getClass().getSimpleName();
    }
  }

  @Register(trace = true)
  static Object leaving() {
    try {
      return actor().task(Actor::leave).remote().get();
    } catch (RuntimeException e) {
      return e.getClass().getSimpleName();
    }
  }

  @Register(trace = true)
  static Object concurrent() {
    ActorHandle<Actor> actor = Ray.actor(Actor::new, 10).setMaxConcurrency(4).remote();
    KEPT.add(actor);
    List<ObjectRef<Integer>> results = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      results.add(actor.task(Actor::slow, i).remote());
    }
    return Ray.get(results);
  }

  /** All of it on another host than this, if that is the one that has this resource. */
  @Register(trace = true)
  static Object elsewhere() {
    ActorHandle<Actor> actor = Ray.actor(Actor::new, 10).setResource("second", 1.0).remote();
    KEPT.add(actor);
    int sum = Ray.task(Calls::seven).setResource("second", 1.0).remote().get();
    for (int i = 0; i < 10; i++) {
      sum += actor.task(Actor::worker, i).remote().get() + actor.task(Actor::none).remote().get();
    }
    return sum;
  }

  /** Long enough there for a profile. */
  @Register(trace = true)
  static Object slowElsewhere() {
    ActorHandle<Actor> actor = Ray.actor(Actor::new, 10).setResource("second", 1.0).remote();
    KEPT.add(actor);
    int sum = 0;
    for (int i = 0; i < 80; i++) {
      sum += actor.task(Actor::slow, i).remote().get();
    }
    return sum;
  }

  /** The same host's actor is killed in a call, after others that it has not sent. */
  @Register(trace = true)
  static Object killedElsewhere() throws InterruptedException {
    ActorHandle<Actor> actor =
        Ray.actor(Actor::new, 10).setResource("second", 1.0).setMaxConcurrency(2).remote();
    ObjectRef<Integer> never = actor.task(Actor::busyAlone).remote();
    while (actor.task(Actor::calls).remote().get() < 20) {
      Thread.sleep(50); // between two looks
    }
    Thread.sleep(300); // no task ends meanwhile
    actor.kill();
    try {
      return never.get();
    } catch (RuntimeException e) {
      return e.getClass().getSimpleName();
    }
  }

  @Register(trace = true)
  static Object python() {
    return Ray.task(PyFunction.of("py_calls", "twice", Integer.class), 21).remote().get();
  }

  @Register(trace = true)
  static Object pythonNone() {
    return Ray.task(PyFunction.of("py_calls", "three", Integer.class)).remote().get();
  }

  @Register(trace = true)
  static Object pythonFails() {
    try {
      return Ray.task(PyFunction.of("py_calls", "fails", Integer.class), "why").remote().get();
    } catch (RuntimeException e) {
      return e.getClass().getSimpleName();
    }
  }

  @Register(trace = true)
  static Object pythonActor() {
    PyActorHandle actor = Ray.actor(PyActorClass.of("py_calls", "Counter"), 5).remote();
    KEPT.add(actor);
    int sum = actor.task(PyActorMethod.of("add", Integer.class), 6).remote().get();
    return Math.min(sum, actor.task(PyActorMethod.of("read", Integer.class)).remote().get());
  }

  /** A thousand calls at once of an asynchronous actor, with synchronous ones between. */
  @Register(trace = true)
  static Object pythonAtOnce() {
    PyActorHandle scheduler = scheduler("at-once");
    List<ObjectRef<Integer>> results = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      results.add(scheduler.task(PyActorMethod.of("later", Integer.class), i).remote());
      if (i % 10 == 0) {
        results.add(scheduler.task(PyActorMethod.of("now", Integer.class), i).remote());
        results.add(scheduler.task(PyActorMethod.of("nothing", Integer.class)).remote());
      }
    }
    int sum = Ray.get(results).stream().mapToInt(Integer::intValue).sum();
    scheduler.kill();
    return sum;
  }

  /** Killed in a call, just after others. */
  @Register(trace = true)
  static Object pythonKilled(String folder) throws InterruptedException {
    PyActorHandle actor = Ray.actor(PyActorClass.of("py_calls", "Counter"), 5).remote();
    actor.task(PyActorMethod.of("add", Integer.class), 6).remote().get();
    ObjectRef<Integer> never =
        actor.task(PyActorMethod.of("stay", Integer.class), folder + "/stays").remote();
    while (!new File(folder, "stays").exists()) {
      Thread.sleep(1); // between two looks
    }
    actor.kill();
    try {
      return never.get();
    } catch (RuntimeException e) {
      return e.getClass().getSimpleName();
    }
  }

  @Register(trace = true)
  static Object pythonNested() {
    PyActorHandle scheduler = scheduler("nested");
    try {
      scheduler.task(PyActorMethod.of("fails_later", Integer.class), "why").remote().get();
      return null;
    } catch (RuntimeException e) {
      return scheduler.task(PyActorMethod.of("nested", Integer.class), 5).remote().get();
    } finally {
      scheduler.kill();
    }
  }

  /** Of those that Java creates Ray awaits no coroutine. */
  private static PyActorHandle scheduler(String name) {
    Ray.task(PyFunction.of("py_calls", "schedule", Integer.class), name).remote().get();
    return (PyActorHandle) Ray.getActor(name).get();
  }

  /** An actor whose handle is collected is ended by Ray at once, and its last span with it. */
  private static final List<Object> KEPT = new ArrayList<>();

  private static ActorHandle<Actor> actor() {
    ActorHandle<Actor> actor = Ray.actor(Actor::new, 10).remote();
    KEPT.add(actor);
    return actor;
  }

  public static void main(String[] arguments) throws Exception {
    Ray.init();
    try {
      for (String shape : arguments[1].split(",")) {
        System.out.println(shape + ": " + call(shape, arguments[0]));
      }
    } finally {
      Ray.shutdown();
    }
  }

  private static Object call(String shape, String folder) throws Exception {
    switch (shape) {
      case "byValue": return byValue();
      case "noArguments": return noArguments();
      case "noResult": return noResult();
      case "reference": return reference();
      case "large": return large();
      case "bytes": return bytes();
      case "factories": return factories();
      case "function": return function();
      case "nested": return nested();
      case "workerMethod": return workerMethod();
      case "carrier": {
        Map<String, Object> metaInfo = new HashMap<>();
        metaInfo.put(
            "_otel_ctx", new HashMap<>(Map.of("traceparent", "00-" + "ab".repeat(16) + "-00f067aa0ba902b7-01")));
        return carrier(metaInfo);
      }
      case "failing": return failing();
      case "retried": return retried(folder);
      case "killed": return killed();
      case "killedBusy": return killedBusy(folder);
      case "leaving": return leaving();
      case "concurrent": return concurrent();
      case "elsewhere": return elsewhere();
      case "slowElsewhere": return slowElsewhere();
      case "killedElsewhere": return killedElsewhere();
      case "python": return python();
      case "pythonNone": return pythonNone();
      case "pythonFails": return pythonFails();
      case "pythonActor": return pythonActor();
      case "pythonAtOnce": return pythonAtOnce();
      case "pythonKilled": return pythonKilled(folder);
      case "pythonNested": return pythonNested();
      default: throw new IllegalArgumentException(shape);
    }
  }
}
