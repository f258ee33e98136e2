package io.rollotel.traces.cli.choice;

import io.rollotel.traces.query.Query;
import io.rollotel.traces.query.QueryException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The choice of spans: an option of commands that take a query. */
public final class WhereChoice {

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Option(
      names = "--where",
      paramLabel = "QUERY",
      description =
          "A query, such as 'name:generate rank:3 dur>1s status:error'. report also lists the"
              + " spans that match; export writes only those. docs/report.md describes queries")
  private @Nullable String text;

  /** As picocli makes it. */
  public WhereChoice() {}

  /** Whether there is a query. */
  public boolean isGiven() {
    return text != null;
  }

  /**
   * The query; null for none.
   *
   * @throws ParameterException if it cannot be read
   */
  public @Nullable Query query() {
    if (text == null) {
      return null;
    }
    try {
      return Query.parse(text);
    } catch (QueryException wrong) {
      throw new ParameterException(
          spec.commandLine(),
          "--where, character " + (wrong.at() + 1) + ": " + wrong.getMessage(),
          wrong);
    }
  }
}
