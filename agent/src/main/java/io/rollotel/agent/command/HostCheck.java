package io.rollotel.agent.command;

import io.rollotel.agent.Agent;
import io.rollotel.agent.profile.Profile;
import io.rollotel.agent.settings.Settings;
import io.rollotel.agent.settings.SettingsTable;
import io.rollotel.traces.collector.CollectorSettings;
import io.rollotel.traces.collector.OtelcolBinary;
import io.rollotel.traces.file.FileNames;
import io.rollotel.traces.file.RunBytes;
import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a traced JVM needs of its host: Java, the agent's jar, a directory, and being enabled. */
final class HostCheck {

  /** About 200,000 spans. */
  private static final long SCARCE_BYTES = 100L << 20;

  private final Settings settings;

  HostCheck(Settings settings) {
    this.settings = settings;
  }

  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    findings.add(java(System.getProperty("java.specification.version", "")));
    findings.add(jar());
    findings.add(enabled());
    for (String complaint : settings.complaints()) {
      findings.add(
          complaint.startsWith(SettingsTable.ENABLED + "=")
              ? Finding.fail("setting", complaint)
              : Finding.warn("setting", complaint));
    }
    CollectorSettings collector =
        CollectorSettings.read(
            settings::collector, complaint -> findings.add(Finding.warn("setting", complaint)));
    findings.add(directory(Doctor.directory(settings), collector.runBytes()));
    String profile = settings.profile();
    if (profile != null) {
      findings.add(profile(profile, settings.profileBytes()));
    }
    findings.add(otelcol());
    return findings;
  }

  static Finding java(String version) {
    String runtime = "Java " + Runtime.version() + ", " + System.getProperty("java.home");
    if (Agent.isTooOld(version)) {
      return Finding.fail("java", "Java " + version + ": run the program with 17 or newer");
    }
    return ModuleFinder.ofSystem().find("java.instrument").isEmpty()
        ? Finding.fail(
            "java",
            runtime
                + " has no module java.instrument, without which no agent starts: name it in"
                + " --add-modules of jlink")
        : Finding.ok("java", runtime);
  }

  private static Finding jar() {
    try {
      File jar = AgentJar.file();
      if (jar.canRead()) {
        return Finding.ok("agent", "-javaagent:" + jar);
      }
      return Finding.fail("agent", jar + " cannot be read: check its permissions");
    } catch (RefusedException e) {
      return Finding.fail("agent", String.valueOf(e.getMessage()));
    }
  }

  private Finding enabled() {
    if (settings.enabled() && settings.sdkDisabled()) {
      return Finding.warn("enabled", "tracing is off: OTEL_SDK_DISABLED is true");
    }
    return settings.enabled()
        ? Finding.ok("enabled", "by " + settings.source(SettingsTable.ENABLED.name()))
        : Finding.warn("enabled", "tracing is off in this environment: set ROLL_OTEL_ENABLED=1");
  }

  /** Whether a profile can be recorded, and at what cost. */
  static Finding profile(String choice, long bytes) {
    if (ModuleLayer.boot().findModule("jdk.jfr").isEmpty()) {
      return Finding.warn("profile", "this JVM has no Flight Recorder (module jdk.jfr)");
    }
    if (choice.endsWith(".jfc") && !new File(choice).canRead()) {
      return Finding.fail("profile", choice + " cannot be read: set ROLL_OTEL_PROFILE");
    }
    String lack = Profile.lackOfRoom();
    if (lack != null) {
      return Finding.warn("profile", "there may be none: " + lack);
    }
    return Finding.ok(
        "profile",
        "Flight Recorder runs in each process: a few percent of its processor time, "
            + (bytes >> 20)
            + " MiB of disk at most");
  }

  /**
   * Leaves nothing behind, not even the directory.
   *
   * @param runBytes the limit of a run's files; null for half of the free space, 0 for none
   */
  static Finding directory(File directory, @Nullable Long runBytes) {
    String refusal = FileNames.refusal(directory);
    if (refusal != null) {
      return Finding.fail("output", refusal);
    }
    File there = directory;
    while (!there.exists() && there.getParentFile() != null) {
      there = there.getParentFile();
    }
    String what =
        there.equals(directory) ? directory.toString() : directory + ", which will be created";
    String advice = ": set ROLL_OTEL_OUTPUT_DIR";
    if (!there.isDirectory()) {
      return Finding.fail(
          "output", directory + " cannot be created: " + there + " is a file" + advice);
    }
    try {
      // On a network file system, the result of canWrite may be wrong.
      File tried = File.createTempFile(".roll-otel-doctor", null, there);
      return tried.delete()
          ? room(what, limitBytes(directory, runBytes), there.getUsableSpace())
          : Finding.warn("output", "a file in " + there + " cannot be deleted: " + tried.getName());
    } catch (IOException e) {
      return Finding.fail("output", there + " cannot be written (" + e.getMessage() + ")" + advice);
    }
  }

  private static long limitBytes(File directory, @Nullable Long given) {
    RunBytes runBytes = RunBytes.ofRun(directory, RunBytes.begin(directory, given));
    runBytes.halvings(0); // looks at the disk
    return runBytes.limitBytes();
  }

  /**
   * How much a run can write there.
   *
   * @param limitBytes the limit in force, 0 for none
   * @param freeBytes what is free on the disk
   */
  static Finding room(String what, long limitBytes, long freeBytes) {
    if (freeBytes < SCARCE_BYTES) {
      return Finding.warn(
          "output",
          what
              + "; its disk has "
              + RunBytes.size(freeBytes)
              + " left: free some space, or set ROLL_OTEL_OUTPUT_DIR");
    }
    return Finding.ok(
        "output",
        limitBytes == 0
            ? what
            : what + "; a run may write " + RunBytes.size(limitBytes) + " (ROLL_OTEL_RUN_BYTES)");
  }

  private static Finding otelcol() {
    File program = OtelcolBinary.find();
    if (program != null) {
      return Finding.ok("otelcol", program.toString());
    }
    return Finding.ok("otelcol", "none on the PATH, and none is needed: the driver collects");
  }
}
