package io.rollotel.traces.spans;

import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.HexIds;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.TraceIds;
import java.io.Serializable;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The spans that were read: each is a number, with a column for each stored fact. They take some 60
 * bytes per span, and no objects.
 *
 * <p>Times are nanoseconds since the epoch. A span that ends before its start gets the duration 0.
 * A span without times, or with a time after the year 2262, is {@link #isTimed not timed}, and both
 * of its times are 0.
 */
public final class Spans implements Serializable {

  /** Used in the queue column: there was no such attribute. */
  public static final long NO_QUEUE = Long.MIN_VALUE;

  static final String NO_RUN_ID = "-";

  private static final String QUEUE = "roll.queue_ns";

  private static final int ERROR = 1;
  private static final int BACKWARDS = 2;
  private static final int UNTIMED = 4;
  private static final int CALL = 8;
  private static final int MISDATED = 128;
  private static final int KIND_SHIFT = 4;

  private static final HexFormat HEX = HexFormat.of();

  private final TraceIds traceIds = new TraceIds();
  private final SpanNumbers numbers;
  private final FailureTexts failures = new FailureTexts();
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

  private int size;
  private int[] trace = new int[1024];
  private int[] name = new int[1024];
  private int[] process = new int[1024];
  private int[] run = new int[1024];
  private int[] failure = new int[1024];
  private long[] id = new long[1024];
  private long[] parentId = new long[1024];
  private long[] start = new long[1024];
  private long[] end = new long[1024];
  private long[] queue = new long[1024];
  private byte[] flags = new byte[1024];

  public Spans() {
    this(null);
  }

  /** Also keeps the attributes of the spans, if there is a place for them. */
  public Spans(@Nullable SpanTags tags) {
    this(tags, new SpanNumbers());
  }

  private Spans(@Nullable SpanTags tags, SpanNumbers numbers) {
    this.tags = tags;
    this.numbers = numbers;
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
    Spans none = new Spans(tags, new SpanNumbers(others.numbers));
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
    if (size == trace.length) {
      grow();
    }
    int i = size++;
    trace[i] = traceIds.number(from.traceIdOf(span));
    name[i] = from.name[span];
    process[i] = from.process[span];
    run[i] = from.run[span];
    failure[i] = failures.number(from.failureText(from.failure[span]));
    id[i] = from.id[span];
    parentId[i] = from.parentId[span];
    start[i] = from.start[span];
    end[i] = from.end[span];
    queue[i] = from.queue[span];
    flags[i] = from.flags[span];
    if (from.isVirtual(span)) {
      virtual.copy(i, from.isVirtualRoot(span));
    }
    if (from.weight(span) != 1) {
      String thinnedId = from.traceId(from.weights.thinned(span, from.trace[span]));
      weights.moved(i, traceIds.number(thinnedId));
      weights.see(traceIds.number(thinnedId), from.weight(span));
    }
    String label = from.globalStep(span);
    if (label != null) {
      stepLabels.copy(i, label);
    }
    return i;
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
    if (size == trace.length) {
      grow();
    }
    int i = size++;
    ProcessTable processes = numbers.processes();
    processes.see(span);
    trace[i] = traceIds.number(span.traceId());
    int thinned = trace[i];
    if (!span.thinnedTraceId().isEmpty()) {
      thinned = traceIds.number(span.thinnedTraceId());
      weights.moved(i, thinned);
    }
    name[i] = numbers.recordedNames().number(span.name());
    if (callNames != null && name[i] >= callNames.size()) {
      callNames = null;
    }
    process[i] = processes.process();
    run[i] = processes.run();
    id[i] = HexIds.toLong(span.spanId());
    parentId[i] = span.parentSpanId().isEmpty() ? 0 : HexIds.toLong(span.parentSpanId());
    times(i, span.startEpochNanos(), span.endEpochNanos());
    flags[i] |= (byte) ((span.kind() & 7) << KIND_SHIFT);
    if (span.statusCode() == Span.STATUS_ERROR) {
      flags[i] |= ERROR;
      failure[i] = failures.number(span.failure());
    }
    if (span.weight() != 1) {
      weights.see(thinned, span.weight());
    }
    queue[i] = NO_QUEUE;
    if (!span.attributes().isEmpty()) {
      flags[i] |= (byte) (CallJoins.isCall(span) ? CALL : 0);
      attributes(i, span.attributes());
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

  private void times(int i, long startNanos, long endNanos) {
    if (startNanos <= 0 || endNanos < 0) {
      flags[i] = (byte) (UNTIMED | (startNanos != 0 && endNanos == 0 ? BACKWARDS : 0));
      start[i] = 0;
      end[i] = 0;
      return;
    }
    start[i] = startNanos;
    end[i] = Math.max(startNanos, endNanos);
    flags[i] = (byte) (endNanos < startNanos ? BACKWARDS : 0);
  }

  private void attributes(int i, Map<String, Object> attributes) {
    if (attributes.get(QUEUE) instanceof Long nanos) {
      queue[i] = nanos;
    }
    threads.see(i, attributes);
    around.see(i, attributes);
    stepLabels.see(i, numbers.recordedNames().text(name[i]), attributes);
  }

  private void grow() {
    int length = Math.multiplyExact(size, 2);
    trace = Arrays.copyOf(trace, length);
    name = Arrays.copyOf(name, length);
    process = Arrays.copyOf(process, length);
    run = Arrays.copyOf(run, length);
    failure = Arrays.copyOf(failure, length);
    id = Arrays.copyOf(id, length);
    parentId = Arrays.copyOf(parentId, length);
    start = Arrays.copyOf(start, length);
    end = Arrays.copyOf(end, length);
    queue = Arrays.copyOf(queue, length);
    flags = Arrays.copyOf(flags, length);
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

  void setRun(int span, int ofRun) {
    run[span] = ofRun;
  }

  /** Joins the traces of receivers to their senders' traces. */
  public void joinCalls(CallJoins joins) {
    JoinedCalls.join(this, traceIds, joins);
  }

  /** Moves the span to another trace; a root gets that parent there. */
  void move(int span, int toTrace, long parent) {
    if (weights.isWeighted()) {
      weights.moved(span, trace[span]);
    }
    trace[span] = toTrace;
    parentId[span] = parentId[span] == 0 ? parent : parentId[span];
  }

  /**
   * How many traces the span's original trace represents: itself, and others that were not sampled.
   */
  public double weight(int span) {
    return weights.of(span, trace[span]);
  }

  /** Whether any trace represents others. */
  public boolean isWeighted() {
    return weights.isWeighted();
  }

  /** The number of rows: the spans from the files, then {@link #isVirtual virtual} ones. */
  public int size() {
    return size;
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
    virtual.beginAt(size);
    add(span);
    run[size - 1] = ofRun;
    return size - 1;
  }

  /** A virtual row extends from the first start to the last end of all times passed. */
  void stretch(int span, long from, long to) {
    boolean isNew = !isTimed(span);
    start[span] = isNew ? from : Math.min(start[span], from);
    end[span] = isNew ? to : Math.max(end[span], to);
    flags[span] &= ~UNTIMED;
  }

  /** A span ended by then, but not before its start. */
  void shorten(int span, long to) {
    end[span] = Math.max(start[span], Math.min(end[span], to));
  }

  /** The number of a trace, -1 if none of its spans was read. */
  public int findTrace(String id) {
    return traceIds.find(id);
  }

  public int traces() {
    return traceIds.size();
  }

  /** The number of the trace. */
  public int trace(int span) {
    return trace[span];
  }

  public String traceId(int traceNumber) {
    return traceIds.text(traceNumber);
  }

  public String traceIdOf(int span) {
    return traceIds.text(trace[span]);
  }

  public String spanId(int span) {
    return HEX.toHexDigits(id[span]);
  }

  /** As 16 hex digits, empty for a root. */
  public String parentSpanId(int span) {
    return parentId[span] == 0 ? "" : HEX.toHexDigits(parentId[span]);
  }

  public long id(int span) {
    return id[span];
  }

  /** 0 for a root. */
  public long parentId(int span) {
    return parentId[span];
  }

  /** The number of its name in a report: both ends of a call on Ray share one. */
  public int name(int span) {
    return callNames().number(name[span]);
  }

  public StringTable names() {
    return callNames().texts();
  }

  public String nameOf(int span) {
    return names().text(name(span));
  }

  /** As it is in the file. */
  public String recordedNameOf(int span) {
    return numbers.recordedNames().text(name[span]);
  }

  /** The number of a name as recorded, or as in a report; -1 if no span has it. */
  public int findName(String text) {
    int recorded = numbers.recordedNames().find(text);
    return recorded < 0 ? names().find(text) : callNames().number(recorded);
  }

  /** Whether it is the sender's span of a call on Ray. */
  public boolean isDispatch(int span) {
    return callNames().isSent(name[span]);
  }

  private CallNames callNames() {
    CallNames known = callNames;
    if (known == null) {
      known = new CallNames(numbers.recordedNames());
      callNames = known;
    }
    return known;
  }

  public int process(int span) {
    return process[span];
  }

  public List<TracedProcess> processes() {
    return numbers.processes().all();
  }

  /** The number of a process, -1 where none of its spans was read. */
  public int findProcess(TracedProcess.Key key) {
    return numbers.processes().find(key);
  }

  public TracedProcess processOf(int span) {
    return numbers.processes().all().get(process[span]);
  }

  public int run(int span) {
    return run[span];
  }

  public StringTable runs() {
    return numbers.runs();
  }

  public long start(int span) {
    return start[span];
  }

  public long end(int span) {
    return end[span];
  }

  public long nanos(int span) {
    return end[span] - start[span];
  }

  /** {@code roll.queue_ns}, or {@link #NO_QUEUE}. */
  public long queueNanos(int span) {
    return queue[span];
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
    int order = Long.compare(start[a], start[b]);
    order = order != 0 ? order : Long.compare(end[b], end[a]);
    order = order != 0 ? order : Long.compareUnsigned(id[a], id[b]);
    return order != 0 ? order : traceIds.compare(trace[a], trace[b]);
  }

  public boolean isError(int span) {
    return (flags[span] & ERROR) != 0;
  }

  /** Whether it ended before its start, according to the file. */
  public boolean isBackwards(int span) {
    return (flags[span] & BACKWARDS) != 0;
  }

  public boolean isTimed(int span) {
    return (flags[span] & UNTIMED) == 0;
  }

  /** Removes times that cannot be true. */
  void undate(int span) {
    flags[span] = (byte) (flags[span] | UNTIMED | MISDATED);
    start[span] = 0;
    end[span] = 0;
  }

  /** Subtracts this from a span's times, if it has any. */
  public void setBack(int span, long nanos) {
    start[span] -= isTimed(span) ? nanos : 0;
    end[span] -= isTimed(span) ? nanos : 0;
  }

  /** Subtracts this from {@link #queueNanos}, for a span that has it. */
  public void shortenQueue(int span, long nanos) {
    queue[span] -= nanos;
  }

  /** Whether it had times, years away from those of its run. */
  public boolean isMisdated(int span) {
    return (flags[span] & MISDATED) != 0;
  }

  /** Whether it sent a call whose execution the agent traces as well. */
  public boolean isCall(int span) {
    return (flags[span] & CALL) != 0;
  }

  /** As in {@link Span#kind}. */
  public int kind(int span) {
    return flags[span] >> KIND_SHIFT & 7;
  }

  /** The number of {@link #failureText}, that of the empty text if unknown. */
  public int failure(int span) {
    return failure[span];
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
