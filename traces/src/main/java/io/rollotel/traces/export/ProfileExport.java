package io.rollotel.traces.export;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.profile.RunProfile;
import io.rollotel.traces.profile.SpanProfile;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.exc.JacksonIOException;

/** The activity of threads in some spans of a run, for profile viewers. */
public final class ProfileExport {

  /** The formats of an export. */
  public enum Format {
    /** Stacks, a line each, for flame graph tools. */
    COLLAPSED,
    /** The JSON that speedscope opens. */
    SPEEDSCOPE,
    /** For {@code go tool pprof} and other tools that read its format. */
    PPROF
  }

  /**
   * The selected spans. Null means all.
   *
   * @param name their name
   * @param worker the instance or the rank of their process
   * @param step the label of their step
   * @param isPathOnly only the time on the critical path
   */
  public record Selection(
      @Nullable String name, @Nullable String worker, @Nullable String step, boolean isPathOnly) {}

  private final RunReport report;
  private final @Nullable SpanProfile profile;

  private ProfileExport(RunReport report, @Nullable SpanProfile profile) {
    this.report = report;
    this.profile = profile;
  }

  /**
   * Reads a run and its profile.
   *
   * @throws IOException if a directory cannot be read
   */
  public static ProfileExport read(List<Path> where, ReportOptions options) throws IOException {
    RunReport report = RunReport.read(where, options);
    RunProfile profile = report.isEmpty() ? null : report.profile();
    return new ProfileExport(report, profile == null ? null : profile.spans());
  }

  /** What was read. */
  public RunReport report() {
    return report;
  }

  /** Whether the run has a profile. */
  public boolean hasProfile() {
    return profile != null;
  }

  /**
   * Writes the activities in the selected spans; does not close the stream.
   *
   * @return the time in them, in nanoseconds
   * @throws IOException if it cannot be written
   */
  public long write(Format format, Selection selection, OutputStream to) throws IOException {
    RunAnalysis run = report.analysis();
    SpanProfile of = profile;
    if (of == null) {
      throw new IllegalStateException("there is no profile");
    }
    IntPredicate some = span -> isSelected(run, selection, span);
    List<ProfiledStack> stacks =
        ProfiledStack.of(run.spans(), selection.isPathOnly ? of.path(some) : of.names(some));
    OutputStream out = new BufferedOutputStream(to, 1 << 16);
    try {
      switch (format) {
        case COLLAPSED -> CollapsedExport.write(stacks, out);
        case SPEEDSCOPE -> new SpeedscopeExport(stacks).write("run " + run.runId(), out);
        case PPROF -> new PprofExport().write(stacks, run.startEpochNanos(), out);
      }
    } catch (JacksonIOException e) {
      throw e.getCause(); // it is wrapped in an unchecked exception
    }
    out.flush();
    return stacks.stream().mapToLong(ProfiledStack::nanos).sum();
  }

  private static boolean isSelected(RunAnalysis run, Selection selection, int span) {
    Spans spans = run.spans();
    TracedProcess process = spans.processOf(span);
    int step = run.stepOf(span);
    return (selection.name == null || selection.name.equals(spans.nameOf(span)))
        && (selection.worker == null
            || selection.worker.equals(process.instanceId())
            || selection.worker.equals(process.rank()))
        && (selection.step == null || (step >= 0 && selection.step.equals(spans.globalStep(step))));
  }
}
