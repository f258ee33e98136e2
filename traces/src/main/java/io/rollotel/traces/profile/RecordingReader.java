package io.rollotel.traces.profile;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.EventType;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedObject;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;

/** Reads the recordings of one process, a chunk's file after the other. */
final class RecordingReader {

  /** Innermost methods in which a thread waits in native code without an event for it. */
  private static final List<String> NATIVE_WAITS =
      List.of("wait", "accept", "accept0", "poll", "epollWait", "read0", "socketRead0", "park");

  /**
   * The same in Ray's runtime, where a worker's thread waits for tasks and any thread for results.
   */
  private static final List<String> WAITS_OF_RAY =
      List.of("nativeRunTaskExecutor", "nativeGet", "nativeWait");

  /** The event by which the agent tells the time and the run. */
  private static final String CLOCK = "io.rollotel.Clock";

  private static final String RAY = "io.ray.runtime.";

  /**
   * Beginnings of classes of the agent in which a task runs: its copy beside the JDK's, and others.
   */
  private static final List<String> RUN_TASKS =
      List.of("java.util.concurrent.RollOtelTo", "io.rollotel.agent.threads.");

  /** Operations of the JVM for its garbage collectors. */
  private static final Pattern GC_OPERATION =
      Pattern.compile("Collect|GC|^G1|^Z[A-Z]|^X[A-Z]|^Shenandoah|^Parallel|^Serial");

  private static final Pattern PERIOD = Pattern.compile("([1-9][0-9]{0,3}) ?ms");

  private static final Pattern HIDDEN = Pattern.compile("(?<=\\$\\$Lambda).*|[+/]0x.*");

  private final Stacks stacks;
  private final ProcessActivity process;

  /** The stacks of one file: equal ones are the same object in a chunk. */
  private final IdentityHashMap<RecordedStackTrace, Integer> known = new IdentityHashMap<>();

  private long firstNanos;
  private long lastNanos;

  /** The id of the event that samples. */
  private long sampling;

  /** The id of the event that samples by processor time; -1 if there is none. */
  private long samplingByProcessorTime = -1;

  private int processors = Runtime.getRuntime().availableProcessors();

  RecordingReader(Stacks stacks, ProcessActivity process) {
    this.stacks = stacks;
    this.process = process;
  }

  /**
   * Whether the agent wrote it for another run: a process of an earlier run may have had the same
   * name, as in a container, where each process has the same number.
   *
   * @param runs the ids of the run
   */
  static boolean isOfAnotherRun(Path file, Set<String> runs) {
    try (RecordingFile recording = new RecordingFile(file)) {
      while (recording.hasMoreEvents()) {
        RecordedEvent event = recording.readEvent();
        if (event.getEventType().getName().equals(CLOCK)) {
          String run = text(event, "runId");
          if (!run.isEmpty()) { // it is known a little after the start
            return !runs.contains(run);
          }
        }
      }
    } catch (IOException | RuntimeException damaged) {
      // Reading it will tell.
    }
    return false;
  }

  /**
   * Reads the readable part of a file.
   *
   * @return null, or why the rest is not readable
   */
  @Nullable String read(Path file) {
    firstNanos = Long.MAX_VALUE;
    lastNanos = Long.MIN_VALUE;
    known.clear();
    String problem = null;
    try (RecordingFile recording = new RecordingFile(file)) {
      for (EventType type : recording.readEventTypes()) {
        if (type.getName().equals("jdk.ExecutionSample")) {
          sampling = type.getId();
        } else if (type.getName().equals("jdk.CPUTimeSample")) {
          samplingByProcessorTime = type.getId();
        }
      }
      while (recording.hasMoreEvents()) {
        event(recording.readEvent());
      }
    } catch (IOException | RuntimeException e) {
      // A damaged file causes many kinds of exceptions in the JDK's parser.
      problem = String.valueOf(e.getMessage());
    }
    if (firstNanos < lastNanos) {
      process.recorded(firstNanos, lastNanos);
    }
    return problem;
  }

  private static long nanos(Instant time) {
    return TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano();
  }

  private void event(RecordedEvent event) {
    long from = nanos(event.getStartTime());
    long to = nanos(event.getEndTime());
    firstNanos = Math.min(firstNanos, from);
    lastNanos = Math.max(lastNanos, to);
    switch (event.getEventType().getName()) {
      case "jdk.ExecutionSample" -> sample(event, from, false);
      case "jdk.CPUTimeSample" -> sample(event, from, false);
      case "jdk.NativeMethodSample" -> sample(event, from, true);
      case "jdk.JavaMonitorEnter" -> lock(event, from, to);
      case "jdk.JavaMonitorWait" ->
          waits(event, Activity.PARKED, type(event, "monitorClass"), from, to);
      case "jdk.ThreadPark" -> waits(event, Activity.PARKED, type(event, "parkedClass"), from, to);
      case "jdk.ThreadSleep" -> waits(event, Activity.SLEEPING, "", from, to);
      case "jdk.SocketRead", "jdk.SocketWrite" ->
          waits(event, Activity.SOCKET, peer(event), from, to);
      case "jdk.FileRead", "jdk.FileWrite", "jdk.FileForce" ->
          waits(event, Activity.FILE, text(event, "path"), from, to);
      case "jdk.GCPhasePause" -> process.pause(Activity.GC_PAUSE, "", from, to);
      case "jdk.ExecuteVMOperation" -> {
        if (event.getBoolean("safepoint")) {
          String operation = text(event, "operation");
          boolean isGc = GC_OPERATION.matcher(operation).find();
          process.pause(isGc ? Activity.GC_PAUSE : Activity.SAFEPOINT, operation, from, to);
        }
      }
      case "jdk.GCHeapSummary" -> heap(event);
      case "jdk.ThreadCPULoad" -> load(event, from);
      case "jdk.ThreadStart" -> {
        RecordedThread started = thread(event, "thread");
        if (started != null) {
          process.thread(started.getJavaThreadId()).startNanos = from;
        }
      }
      case CLOCK -> {
        processors = event.getInt("processors");
        process.clock(event.getLong("epochNanos") - from);
      }
      case "io.rollotel.SpanWork" -> work(event, from, to);
      case "jdk.ActiveSetting" -> setting(event);
      default -> {
        // Not used here; the file may contain any other events.
      }
    }
  }

  private void sample(RecordedEvent event, long at, boolean isNative) {
    RecordedThread thread = thread(event, "sampledThread");
    if (thread == null) {
      thread = thread(event, "eventThread");
    }
    RecordedStackTrace trace = event.getStackTrace();
    // The sampler by processor time reports stacks that it cannot walk.
    if (thread == null || trace == null || (isNative && trace.getFrames().isEmpty())) {
      return;
    }
    ThreadActivity activity = process.thread(thread.getJavaThreadId());
    activity.isPlatform = thread.getOSThreadId() > 0;
    if (isNative && isWaiting(trace.getFrames().get(0).getMethod())) {
      activity.inNative.add(at, at, stacks.text(stacks.method(stack(event))), 0);
    } else {
      activity.samples.add(at, at, stack(event), isNative ? ThreadActivity.NATIVE : 0);
    }
  }

  private static boolean isWaiting(RecordedMethod innermost) {
    return NATIVE_WAITS.contains(innermost.getName())
        || (WAITS_OF_RAY.contains(innermost.getName())
            && innermost.getType().getName().startsWith(RAY));
  }

  private void waits(RecordedEvent event, Activity activity, String on, long from, long to) {
    RecordedThread thread = event.getThread();
    if (thread != null) {
      String where = stacks.method(stack(event));
      String detail = where.isEmpty() ? on : on.isEmpty() ? where : where + " (" + on + ")";
      process.wait(thread.getJavaThreadId(), activity, detail, from, to);
    }
  }

  private void lock(RecordedEvent event, long from, long to) {
    RecordedThread thread = event.getThread();
    if (thread != null) {
      RecordedThread owner = thread(event, "previousOwner");
      process.lockWait(
          thread.getJavaThreadId(),
          type(event, "monitorClass"),
          owner == null ? -1 : owner.getJavaThreadId(),
          from,
          to);
    }
  }

  private void heap(RecordedEvent event) {
    if (text(event, "when").equals("After GC")
        && event.getValue("heapSpace") instanceof RecordedObject space) {
      long most = space.getLong("reservedSize");
      process.heap(most == 0 ? 0 : (double) event.getLong("heapUsed") / most);
    }
  }

  private void load(RecordedEvent event, long at) {
    RecordedThread thread = event.getThread();
    if (thread != null) {
      // For all processors, per second.
      double share = (event.getFloat("user") + event.getFloat("system")) * processors;
      process
          .thread(thread.getJavaThreadId())
          .loads
          .add(at, at, (int) Math.round(share * 1_000_000), 0);
    }
  }

  private void work(RecordedEvent event, long from, long to) {
    RecordedThread thread = event.getThread();
    String spanId = text(event, "spanId");
    if (thread != null && spanId.length() == 16) {
      process.work(Long.parseUnsignedLong(spanId, 16), thread.getJavaThreadId(), from, to);
    }
  }

  private void setting(RecordedEvent event) {
    // Those of two events that sample: the period of one, the other's throttle.
    boolean isPeriod =
        switch (text(event, "name")) {
          case "period" -> event.getLong("id") == sampling;
          case "throttle" -> event.getLong("id") == samplingByProcessorTime;
          default -> false;
        };
    Matcher period = PERIOD.matcher(text(event, "value"));
    if (isPeriod && period.matches()) {
      process.samplePeriodNanos = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(period.group(1)));
    }
  }

  private int stack(RecordedEvent event) {
    RecordedStackTrace trace = event.getStackTrace();
    if (trace == null) {
      return Stacks.NONE;
    }
    Integer number = known.get(trace);
    if (number == null) {
      List<RecordedFrame> frames = trace.getFrames();
      int[] numbers = new int[frames.size()];
      int count = 0;
      for (RecordedFrame frame : frames) {
        // The agent's own time is shown, but not that it stands between an executor and its task.
        if (count == 0 || !runsTask(frame.getMethod())) {
          numbers[count++] = number(frame);
        }
      }
      number = stacks.stack(Arrays.copyOf(numbers, count));
      known.put(trace, number);
    }
    return number;
  }

  private static boolean runsTask(@Nullable RecordedMethod method) {
    return method != null && RUN_TASKS.stream().anyMatch(method.getType().getName()::startsWith);
  }

  private int number(RecordedFrame frame) {
    RecordedMethod method = frame.getMethod();
    return method == null
        ? Stacks.NONE
        : stacks.frame(
            // Each lambda has a class of its own, with an address in its name.
            HIDDEN.matcher(method.getType().getName()).replaceFirst("") + "." + method.getName(),
            frame.getLineNumber());
  }

  private static @Nullable RecordedThread thread(RecordedEvent event, String field) {
    return event.hasField(field) && event.getValue(field) instanceof RecordedThread thread
        ? thread
        : null;
  }

  private static String type(RecordedEvent event, String field) {
    return event.hasField(field) && event.getValue(field) instanceof RecordedClass type
        ? type.getName()
        : "";
  }

  private static String text(RecordedEvent event, String field) {
    Object value = event.hasField(field) ? event.getValue(field) : null;
    return value == null ? "" : value.toString();
  }

  private static String peer(RecordedEvent event) {
    String host = text(event, "host");
    return (host.isEmpty() ? text(event, "address") : host) + ":" + text(event, "port");
  }
}
