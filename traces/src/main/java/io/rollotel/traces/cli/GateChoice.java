package io.rollotel.traces.cli;

import io.rollotel.traces.analysis.Gate;
import io.rollotel.traces.report.ComparisonReport;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The choice of a gate for a comparison, and the exit codes of its rulings. */
final class GateChoice {

  /** The exit code if a run got slower than allowed. */
  private static final int REGRESSION = 3;

  /** The exit code if there are too few values to decide. */
  private static final int TOO_FEW = 4;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Option(
      names = "--fail-on-regression",
      paramLabel = "PCT",
      description =
          "Exits with 3 if something got slower by this percentage or more, and with 4 if there"
              + " is too little data to tell. The last line says what it was")
  private @Nullable Double maxPercent;

  @Option(
      names = "--fail-on",
      paramLabel = "WHAT",
      description =
          "What --fail-on-regression checks: any (everything, the default) or steps (only whole"
              + " steps)")
  private Gate.@Nullable Scope failOn;

  // Made by picocli.
  GateChoice() {}

  /**
   * Checks that the options go together.
   *
   * @param isComparison whether the command compares two runs
   * @throws ParameterException if they do not
   */
  void check(boolean isComparison) {
    if (maxPercent != null && !isComparison) {
      throw new ParameterException(spec.commandLine(), "--fail-on-regression needs --against.");
    }
    if (maxPercent != null && !(maxPercent >= 0 && maxPercent <= Double.MAX_VALUE)) { // nor NaN
      throw new ParameterException(
          spec.commandLine(), "--fail-on-regression takes a percentage from 0, such as 10.");
    }
    if (failOn != null && maxPercent == null) {
      throw new ParameterException(spec.commandLine(), "--fail-on needs --fail-on-regression.");
    }
  }

  /**
   * The exit code: 0 if there is no gate. The last line gives the reason.
   *
   * @param isOutputTaken whether the output is JSON or a page: the line goes to the other stream
   */
  int rule(ComparisonReport comparison, boolean isOutputTaken) {
    if (maxPercent == null) {
      return 0;
    }
    double percent = maxPercent;
    Gate gate = new Gate(failOn == null ? Gate.Scope.ANY : failOn, percent);
    Gate.Ruling ruling = comparison.rule(gate);
    if (ruling.outcome() == Gate.Outcome.PASSED) {
      return 0;
    }
    int code = ruling.outcome() == Gate.Outcome.SLOWER ? REGRESSION : TOO_FEW;
    PrintWriter to = isOutputTaken ? spec.commandLine().getErr() : spec.commandLine().getOut();
    if (!isOutputTaken) {
      to.println();
    }
    to.println("Exit code " + code + ": " + comparison.inWords(ruling, percent));
    to.flush();
    return code;
  }
}
