package io.rollotel.agent.ray;

import io.rollotel.agent.api.RemoteSpan;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.traces.otlp.CallJoins;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A call that this thread sends, with its span. It finds out how the receiver's span will be
 * joined: by the context that an argument carries, or by the id of the task.
 */
final class Sending {

  /** The ids of returned objects begin with that of their task: so many hex digits. */
  private static final int TASK_ID_DIGITS = 48;

  /** Replaces a task's own part in the id of the task that creates an actor. */
  private static final String CREATION = "ffffffffffffffff";

  /** Threads are reused, so it is empty between two calls. */
  private static final ThreadLocal<Sending> CURRENT = new ThreadLocal<>();

  private final RemoteSpan span;
  private final @Nullable Sending outer;
  private boolean carried;
  private String taskId = "";

  private Sending(RemoteSpan span, @Nullable Sending outer) {
    this.span = span;
    this.outer = outer;
  }

  static Sending begin(RemoteSpan span) {
    Sending begun = new Sending(span, CURRENT.get());
    CURRENT.set(begun);
    return begun;
  }

  /** This thread's current call; null if there is none. */
  static @Nullable Sending current() {
    return CURRENT.get();
  }

  RemoteSpan span() {
    return span;
  }

  /** Whether an argument carries the context. */
  boolean isCarried() {
    return carried;
  }

  /** Puts the context into an argument's metadata, if they have room. */
  void carryIn(Object value, RayRuntime ray) throws Throwable {
    byte[] metadata = ray.metadata(value);
    if (metadata != null && Carried.hasRoom(metadata)) {
      carried = true;
      ray.setMetadata(
          value, new Carried(span.traceparent(), epochNanos(), TraceHook.runId()).behind(metadata));
    }
  }

  /** The first id that is known is the task's. */
  void identify(String id) {
    if (taskId.isEmpty()) {
      taskId = id;
    }
  }

  /** The same by the id of an object that the task returns. */
  void identifyByResult(String objectId) {
    identify(objectId.length() > TASK_ID_DIGITS ? objectId.substring(0, TASK_ID_DIGITS) : "");
  }

  /** The call has returned an actor's handle, or references to its results. */
  void returned(Object returned, RayRuntime ray) throws Throwable {
    if (ray.isRef(returned)) {
      identifyByResult(ray.objectId(returned));
    } else {
      String actorId = ray.handleId(returned);
      span.set("ray.actor_id", actorId);
      identify(CREATION + actorId);
    }
  }

  /** Adds what joins the two spans. */
  void describe() {
    span.set("ray.task_id", taskId);
    if (!carried) {
      span.set(CallJoins.JOIN, "ray.task_id");
    }
  }

  /** The thread returns to the call around this one. */
  void leave() {
    RayCalls.restore(CURRENT, outer);
  }

  private static long epochNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000L + now.getNano();
  }
}
