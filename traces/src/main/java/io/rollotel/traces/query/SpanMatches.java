package io.rollotel.traces.query;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.StringTable;
import io.rollotel.traces.spans.TracedProcess;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which spans of a run a query matches. */
public final class SpanMatches {

  private final RunAnalysis run;
  private final long startEpochNanos;
  private final Query query;
  private final Spans spans;
  private final @Nullable QueryTags tags;

  /**
   * Searches the spans of a run, or of a part of one.
   *
   * @param run read with {@link QueryTags} if the query needs that
   * @param startEpochNanos when the whole run began
   */
  public SpanMatches(RunAnalysis run, long startEpochNanos, Query query) {
    this.run = run;
    this.startEpochNanos = startEpochNanos;
    this.query = query;
    this.spans = run.spans();
    SpanTags known = spans.tags();
    this.tags = known != null && known.form() instanceof QueryTags form ? form : null;
    if (query.needsContents() && (tags == null || tags.query() != query)) {
      throw new IllegalStateException("read without this query");
    }
  }

  /**
   * The numbers of a run's spans that match.
   *
   * @param run read with {@link QueryTags} if the query needs that
   */
  public static BitSet of(RunAnalysis run, Query query) {
    return new SpanMatches(run, run.startEpochNanos(), query).spans();
  }

  /** The numbers of the spans that match. */
  public BitSet spans() {
    IntPredicate isWanted = span -> false;
    for (List<Term> terms : query.alternatives()) {
      IntPredicate all = span -> true;
      for (Term term : terms) {
        IntPredicate one = test(term);
        all = all.and(term.isNot() ? one.negate() : one);
      }
      isWanted = isWanted.or(all);
    }
    BitSet found = new BitSet(spans.size());
    for (int span : run.members()) {
      if (isWanted.test(span)) {
        found.set(span);
      }
    }
    return found;
  }

  /** Attributes in the query that no span in the files has: misspelt ones. */
  public List<String> unknownAttributes() {
    return tags == null ? List.of() : tags.unknownAttributes();
  }

  private IntPredicate test(Term term) {
    return switch (term.kind()) {
      case FIND -> found(term);
      case ATTRIBUTE -> marks(term)::get;
      default ->
          switch (term.key()) {
            case "name" -> {
              BitSet names = names(name -> term.matchesText(name, false));
              yield span -> names.get(spans.name(span));
            }
            case "dur" -> span -> spans.isTimed(span) && term.matchesTime(spans.nanos(span));
            case "start" ->
                span ->
                    spans.isTimed(span) && term.matchesTime(spans.start(span) - startEpochNanos);
            case "queue" ->
                span ->
                    spans.queueNanos(span) != Spans.NO_QUEUE
                        && term.matchesTime(spans.queueNanos(span));
            case "trace" -> span -> term.matchesText(spans.traceIdOf(span), false);
            case "span" -> span -> term.matchesText(spans.spanId(span), false);
            case "step" -> step(term);
            case "status" -> span -> term.matchesText(spans.isError(span) ? "error" : "ok", true);
            case "path" ->
                span -> term.matchesText(run.path().nanosOf(span) > 0 ? "yes" : "no", true);
            default -> process(term);
          };
    };
  }

  private BitSet marks(Term term) {
    return tags == null ? new BitSet() : tags.marks(term);
  }

  private IntPredicate found(Term term) {
    BitSet marks = marks(term);
    BitSet names = names(name -> name.toLowerCase(Locale.ROOT).contains(term.wanted()));
    BitSet traces = traces(term.wanted());
    return span -> marks.get(span) || names.get(spans.name(span)) || traces.get(spans.trace(span));
  }

  /**
   * The traces whose id begins with this prefix. A call that was joined to its sender's trace has
   * that trace's id here.
   */
  private BitSet traces(String wanted) {
    BitSet traces = new BitSet();
    if (QueryTags.isOfTraceId(wanted)) {
      for (int trace = 0; trace < spans.traces(); trace++) {
        traces.set(trace, spans.traceId(trace).startsWith(wanted));
      }
    }
    return traces;
  }

  private BitSet names(Predicate<String> isWanted) {
    StringTable names = spans.names();
    BitSet wanted = new BitSet(names.size());
    for (int name = 0; name < names.size(); name++) {
      wanted.set(name, isWanted.test(names.text(name)));
    }
    return wanted;
  }

  private IntPredicate process(Term term) {
    List<TracedProcess> processes = spans.processes();
    BitSet wanted = new BitSet(processes.size());
    for (int i = 0; i < processes.size(); i++) {
      List<String> texts =
          texts(term.key(), processes.get(i)).filter(text -> !text.isEmpty()).toList();
      Predicate<String> isMatch =
          text ->
              term.kind() == Term.Kind.WORD
                  ? term.matchesWord(text)
                  : term.matchesText(text, false);
      wanted.set(
          i,
          !texts.isEmpty()
              && (term.op().equals("!=")
                  ? texts.stream().allMatch(isMatch)
                  : texts.stream().anyMatch(isMatch)));
    }
    return span -> wanted.get(spans.process(span));
  }

  private static Stream<String> texts(String key, TracedProcess process) {
    return switch (key) {
      case "service" -> Stream.of(process.serviceName());
      case "host" -> Stream.of(process.host());
      case "pid" -> Stream.of(process.pid());
      case "rank" -> Stream.of(process.rank());
      case "worker" ->
          Stream.of(
              process.serviceName(),
              process.instanceId(),
              (process.serviceName() + " " + process.instanceId()).strip());
      default -> throw new IllegalStateException("no key " + key);
    };
  }

  private IntPredicate step(Term term) {
    Map<Integer, Boolean> wanted = new HashMap<>();
    for (Steps.Step step : run.steps().all()) {
      wanted.put(step.span(), !step.label().isEmpty() && term.matchesWord(step.label()));
    }
    return span -> wanted.getOrDefault(run.stepOf(span), false);
  }
}
