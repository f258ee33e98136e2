package io.rollotel.agent.profile;

import io.rollotel.agent.log.AgentLog;
import java.io.IOException;
import java.nio.file.Path;
import java.text.ParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.Configuration;

/** Which events are recorded. */
final class RecordingSettings {

  private static final String USUAL_PERIOD = "20 ms";

  /** The setting for samples by processor time, which only newer JDKs support, on Linux only. */
  private static final String BY_PROCESSOR_TIME = "cpu";

  private static final String PROCESSOR_TIME_SAMPLE = "jdk.CPUTimeSample";

  /** A shorter span is useless between samples, and many of them would fill the recording. */
  private static final String SHORTEST_SPAN = "10 ms";

  /** A shorter wait costs more to record than it explains. */
  private static final String SHORTEST_WAIT = "1 ms";

  private static final List<String> SAMPLES =
      List.of("jdk.ExecutionSample", "jdk.NativeMethodSample");

  /** With the stack of the waiting thread. */
  private static final List<String> WAITS =
      List.of(
          "jdk.JavaMonitorEnter",
          "jdk.JavaMonitorWait",
          "jdk.ThreadPark",
          "jdk.ThreadSleep",
          "jdk.VirtualThreadPinned",
          "jdk.SocketRead",
          "jdk.SocketWrite",
          "jdk.FileRead",
          "jdk.FileWrite",
          "jdk.FileForce");

  private RecordingSettings() {}

  /**
   * The settings of a recording.
   *
   * @param choice {@code on}, {@code cpu}, a period such as {@code 10ms}, or a file in JMC's format
   * @throws IOException if there is no such file
   * @throws ParseException if it is another kind of file
   */
  static Map<String, String> of(String choice) throws IOException, ParseException {
    if (choice.endsWith(".jfc")) {
      Map<String, String> all = new HashMap<>(Configuration.create(Path.of(choice)).getSettings());
      all.put(ProfileClock.NAME + "#enabled", "true");
      all.put(SpanWork.NAME + "#enabled", "true");
      all.putIfAbsent(SpanEvent.NAME + "#threshold", SHORTEST_SPAN);
      return all;
    }
    if (choice.equalsIgnoreCase(BY_PROCESSOR_TIME)) {
      if (hasProcessorTimeSamples()) {
        return byProcessorTime();
      }
      AgentLog.warn(
          "ROLL_OTEL_PROFILE=cpu needs JDK 25 or later on Linux; stacks are sampled as with on");
    }
    return usual(choice.endsWith("ms") ? period(choice) : USUAL_PERIOD);
  }

  private static boolean hasProcessorTimeSamples() {
    return Runtime.version().feature() >= 25 && System.getProperty("os.name").equals("Linux");
  }

  private static Map<String, String> byProcessorTime() {
    Map<String, String> all = usual(USUAL_PERIOD);
    for (String sampled : SAMPLES) {
      all.put(sampled + "#enabled", "false");
    }
    all.put(PROCESSOR_TIME_SAMPLE + "#enabled", "true");
    all.put(PROCESSOR_TIME_SAMPLE + "#throttle", USUAL_PERIOD.replace(" ", ""));
    return all;
  }

  /** With a space between number and unit, as Flight Recorder wants it. */
  private static String period(String choice) {
    int unit = 0;
    while (Character.isDigit(choice.charAt(unit))) {
      unit++;
    }
    return choice.substring(0, unit) + " " + choice.substring(unit).strip();
  }

  private static Map<String, String> usual(String period) {
    Map<String, String> all = new HashMap<>();
    for (String sampled : SAMPLES) {
      all.put(sampled + "#enabled", "true");
      all.put(sampled + "#period", period);
    }
    for (String wait : WAITS) {
      all.put(wait + "#enabled", "true");
      all.put(wait + "#stackTrace", "true");
      all.put(wait + "#threshold", SHORTEST_WAIT);
    }
    all.put(SpanEvent.NAME + "#enabled", "true");
    all.put(SpanEvent.NAME + "#threshold", SHORTEST_SPAN);
    all.put("jdk.ExecuteVMOperation#enabled", "true");
    all.put("jdk.ExecuteVMOperation#threshold", SHORTEST_WAIT);
    for (String always :
        List.of(
            "jdk.ThreadStart",
            "jdk.GCPhasePause",
            "jdk.GarbageCollection",
            "jdk.GCHeapSummary",
            "jdk.GCHeapConfiguration",
            "jdk.JVMInformation",
            ProfileClock.NAME,
            SpanWork.NAME)) {
      all.put(always + "#enabled", "true");
      all.put(always + "#threshold", "0 ms");
    }
    all.put("jdk.ThreadStart#stackTrace", "false");
    for (String load : List.of("jdk.ThreadCPULoad", "jdk.CPULoad")) {
      all.put(load + "#enabled", "true");
      all.put(load + "#period", "1 s");
    }
    all.put("jdk.ObjectAllocationSample#enabled", "true");
    all.put("jdk.ObjectAllocationSample#throttle", "20/s");
    all.put("jdk.ObjectAllocationSample#stackTrace", "true");
    return all;
  }
}
