package io.rollotel.traces.spans;

import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.TraceIds;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The spans that were read: each is the number of a row in {@link SpanColumns}. Here are the texts
 * and processes that other numbers stand for, and the facts that only some spans have.
 */
public final class Spans extends SpanColumns {

  static final String NO_RUN_ID = "-";

  private final TraceIds traceIds = new TraceIds();
  private final SpanNumbers numbers;
  private final FailureTexts failures;
  private final StepLabels stepLabels = new StepLabels();
  private final SpanThreads threads = new SpanThreads();
  private final SpansAround around = new SpansAround();
  private final RunFacts runFacts = new RunFacts();
  private final transient @Nullable SpanTags tags;

  private final TraceWeights weights = new TraceWeights();
  private final VirtualSpans virtual = new VirtualSpans();

  private @Nullable Map<Integer, List<String>> joinedRuns;

  /** For the names so far; created on first use, null after a new name. */
  private transient @Nullable CallNames callNames;

  public Spans() {
    this(null);
  }

  /** Also keeps the attributes of the spans, if there is a place for them. */
  public Spans(@Nullable SpanTags tags) {
    this(tags, new SpanNumbers(), new FailureTexts());
  }

  private Spans(@Nullable SpanTags tags, SpanNumbers numbers, FailureTexts failures) {
    this.tags = tags;
    this.numbers = numbers;
    this.failures = failures;
  }

  /**
   * No spans, with the same numbers for names, processes and runs as the others have so far. So
   * numbers mean the same in all parts of a run, and in their sums.
   */
  public static Spans withNumbersOf(Spans others) {
    return withNumbersOf(others, null);
  }

  /** The same with a place for attributes, if that is not null. */
  public static Spans withNumbersOf(Spans others, @Nullable SpanTags tags) {
    Spans none = new Spans(tags, new SpanNumbers(others.numbers), new FailureTexts());
    none.joinedRuns = others.joinedRuns;
    return none;
  }

  /** Also gives numbers to the names, processes and runs of other spans. */
  public void takeNumbersOf(Spans others) {
    numbers.take(others.numbers);
    callNames = null;
  }

  /** Whether names, processes and runs have the same numbers in both. */
  public boolean hasNumbersOf(Spans others) {
    return numbers.areThoseOf(others.numbers);
  }

  /**
   * Adds a copy of a row of other spans {@link #withNumbersOf the same numbers}. It is only for
   * display: here it has no parent except its id.
   *
   * @return its number here
   */
  public int copy(Spans from, int span) {
    int ofTrace = traceIds.number(from.traceIdOf(span));
    int ofFailure =
        failures == from.failures
            ? from.failure(span)
            : failures.number(from.failureText(from.failure(span)));
    int i = copyRow(from, span, ofTrace, ofFailure);
    if (from.isVirtual(span)) {
      virtual.copy(i, from.isVirtualRoot(span));
    }
    if (from.isWeighted()) {
      int thinned = traceIds.number(from.traceId(from.weights.thinned(span, from.trace(span))));
      weights.moved(i, thinned);
      if (from.weight(span) != 1) {
        weights.see(thinned, from.weight(span));
      }
    }
    String label = from.globalStep(span);
    if (label != null) {
      stepLabels.copy(i, label);
    }
    return i;
  }

  /**
   * A copy of chosen rows that are whole traces, see {@link RunParts}.
   *
   * @param rowsAbove of all rows here, as {@link SpanTree#rowsAbove} gives them
   */
  Spans part(RowPlaces rows, int[] rowsAbove) {
    Spans part = new Spans(null, numbers, failures);
    part.callNames = callNames();
    part.joinedRuns = joinedRuns;
    int[] parents = new int[rows.size()];
    for (int i = 0; i < parents.length; i++) {
      part.copy(this, rows.row(i));
      int above = rowsAbove[rows.row(i)];
      parents[i] = above < 0 ? above : rows.of(above);
    }
    part.virtual.parents(parents);
    part.around.take(around, rows);
    part.runFacts.take(runFacts, rows);
    return part;
  }

  /** The attributes that are read; null if all are kept. */
  public @Nullable Set<String> attributesRead() {
    if (tags != null) {
      return null;
    }
    Set<String> read = new HashSet<>(CallJoins.ATTRIBUTES);
    read.addAll(RunFacts.ATTRIBUTES);
    read.addAll(SpanThreads.ATTRIBUTES);
    read.addAll(Set.of(QUEUE, SpansAround.AROUND, StepLabels.GLOBAL_STEP, TracedProcess.RANK));
    return read;
  }

  public void add(Span span) {
    ProcessTable processes = numbers.processes();
    processes.see(span);
    int ofTrace = traceIds.number(span.traceId());
    boolean isThinned = !span.thinnedTraceId().isEmpty();
    int thinned = isThinned ? traceIds.number(span.thinnedTraceId()) : ofTrace;
    int ofName = numbers.recordedNames().number(span.name());
    if (callNames != null && ofName >= callNames.size()) {
      callNames = null;
    }
    boolean isFailed = span.statusCode() == Span.STATUS_ERROR;
    int ofFailure = isFailed ? failures.number(span.failure()) : FailureTexts.EMPTY;
    int i = addRow(span, ofTrace, ofName, processes.process(), processes.run(), ofFailure);
    if (isThinned) {
      weights.moved(i, thinned);
    }
    if (span.weight() != 1) {
      weights.see(thinned, span.weight());
    }
    if (!span.attributes().isEmpty()) {
      threads.see(i, span.attributes());
      around.see(i, span.attributes());
      stepLabels.see(i, span.name(), span.attributes());
      runFacts.see(i, span);
    }
    if (tags != null && !isVirtual(i)) {
      tags.add(span);
    }
  }

  /** The name of a run without an id. */
  public static String orNoRun(String runId) {
    return runId.isEmpty() ? NO_RUN_ID : runId;
  }

  /** Assigns each trace to one run, and joins runs whose processes share traces; call it once. */
  public void joinRuns() {
    joinedRuns = joinedRuns == null ? RunJoins.of(this).others() : joinedRuns;
  }

  /** Takes the runs' other ids from all their traces. */
  public void joinedRuns(RunJoins joins) {
    joinedRuns = joins.others();
  }

  /** The other ids that spans of a run had before runs were joined, the first started first. */
  public List<String> joinedRuns(int ofRun) {
    return joinedRuns == null ? List.of() : joinedRuns.getOrDefault(ofRun, List.of());
  }

  /** Joins the traces of receivers to their senders' traces. */
  public void joinCalls(CallJoins joins) {
    JoinedCalls.join(this, traceIds, joins);
  }

  /** Moves the span to another trace; a root gets that parent there. */
  void move(int span, int toTrace, long parent) {
    if (weights.isWeighted()) {
      weights.moved(span, trace(span));
    }
    setTrace(span, toTrace, parent);
  }

  /**
   * How many traces the span's original trace represents: itself, and others that were not sampled.
   */
  public double weight(int span) {
    return weights.of(span, trace(span));
  }

  /** Whether any trace represents others. */
  public boolean isWeighted() {
    return weights.isWeighted();
  }

  /** Whether the row stands for a missing span; {@link LostParents} adds such rows. */
  public boolean isVirtual(int span) {
    return virtual.isVirtual(span);
  }

  /** Whether the row stands for the root of a trace. */
  public boolean isVirtualRoot(int span) {
    return virtual.isRoot(span);
  }

  VirtualSpans virtual() {
    return virtual;
  }

  /** Adds a row for a missing span. {@link #stretch} sets its times. */
  int addVirtual(Span span, int ofRun) {
    int row = size();
    virtual.beginAt(row);
    add(span);
    setRun(row, ofRun);
    return row;
  }

  /** The number of a trace, -1 if none of its spans was read. */
  public int findTrace(String id) {
    return traceIds.find(id);
  }

  public int traces() {
    return traceIds.size();
  }

  public String traceId(int traceNumber) {
    return traceIds.text(traceNumber);
  }

  public String traceIdOf(int span) {
    return traceIds.text(trace(span));
  }

  /** The number of its name in a report: both ends of a call on Ray share one. */
  public int name(int span) {
    return callNames().number(recordedName(span));
  }

  public StringTable names() {
    return callNames().texts();
  }

  public String nameOf(int span) {
    return names().text(name(span));
  }

  /** As it is in the file. */
  public String recordedNameOf(int span) {
    return numbers.recordedNames().text(recordedName(span));
  }

  /** The number of a name as recorded, or as in a report; -1 if no span has it. */
  public int findName(String text) {
    int recorded = numbers.recordedNames().find(text);
    return recorded < 0 ? names().find(text) : callNames().number(recorded);
  }

  /** Whether it is the sender's span of a call on Ray. */
  public boolean isDispatch(int span) {
    return callNames().isSent(recordedName(span));
  }

  private CallNames callNames() {
    CallNames known = callNames;
    if (known == null) {
      known = new CallNames(numbers.recordedNames());
      callNames = known;
    }
    return known;
  }

  public List<TracedProcess> processes() {
    return numbers.processes().all();
  }

  /** The number of a process, -1 where none of its spans was read. */
  public int findProcess(TracedProcess.Key key) {
    return numbers.processes().find(key);
  }

  public TracedProcess processOf(int span) {
    return numbers.processes().all().get(process(span));
  }

  public StringTable runs() {
    return numbers.runs();
  }

  /** The attribute {@code global_step} as text, or the id of an agent's run; null for none. */
  public @Nullable String globalStep(int span) {
    return stepLabels.of(span);
  }

  /** The threads on which spans began. */
  public SpanThreads threads() {
    return threads;
  }

  /** The spans around calls that have another parent. */
  public SpansAround around() {
    return around;
  }

  /**
   * An order of all spans, also across traces: by start, the longer first, then by ids. It does not
   * depend on the order of reading.
   */
  public int compare(int a, int b) {
    int order = Long.compare(start(a), start(b));
    order = order != 0 ? order : Long.compare(end(b), end(a));
    order = order != 0 ? order : Long.compareUnsigned(id(a), id(b));
    return order != 0 ? order : traceIds.compare(trace(a), trace(b));
  }

  /** Why a span failed. */
  public String failureText(int failureNumber) {
    return failures.text(failureNumber);
  }

  /** Whether its text is only a pattern, because too many texts differ only in numbers. */
  public boolean isFailurePatternOnly(int failureNumber) {
    return failures.isPatternOnly(failureNumber);
  }

  /** Adds the reasons of other spans. Call it before rows of them are copied. */
  public void takeFailuresOf(Spans others) {
    failures.take(others.failures);
  }

  /** The same with {@code #} for each number, id and address in it. */
  public String failurePattern(int failureNumber) {
    return failures.pattern(failureNumber);
  }

  /** The facts about agents' runs from their spans. */
  public RunFacts runFacts() {
    return runFacts;
  }

  /** The place of kept attributes. */
  public @Nullable SpanTags tags() {
    return tags;
  }
}
