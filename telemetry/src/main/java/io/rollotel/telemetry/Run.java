package io.rollotel.telemetry;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A run that {@link RunTelemetry} has started. Closing a run that has not ended marks it as not
 * completed. All methods may be called from any thread. No method throws.
 */
public final class Run implements AutoCloseable {

  /** A step holds a span, and steps and scopes may be left open. */
  private static final int MAX_OPEN = 1_024;

  private final RunTelemetry owner;
  private final String id;
  private final @Nullable RunSpan span;

  // Guarded by this.
  private final LinkedHashSet<RunStep> open = new LinkedHashSet<>();
  private final LinkedHashSet<RunScope> scopes = new LinkedHashSet<>();
  private boolean ended;
  private long steps;
  private double reward;
  private @Nullable Long givenSteps;
  private @Nullable Double givenReward;

  Run(RunTelemetry owner, String id, @Nullable RunSpan span) {
    this.owner = owner;
    this.id = id;
    this.span = span;
  }

  /** A run that is not recorded. */
  static Run none(RunTelemetry owner, String id) {
    return new Run(owner, id, null);
  }

  /** The ID that the run was started with. */
  public String id() {
    return id;
  }

  /**
   * The ID of the run's trace, 32 lowercase hex digits. It is also available after the end of the
   * run. Empty if nothing is recorded.
   */
  public Optional<String> traceId() {
    return span == null ? Optional.empty() : owner.guarded(span::traceId, Optional.empty());
  }

  /**
   * Makes the run current on this thread until the scope is closed or the run ends: what is traced
   * or stamped meanwhile belongs to the run, also outside its steps. If another thread ends the
   * run, or closes the scope, the run stays current on this thread until it starts a run or a step.
   * Does nothing if the run has ended.
   */
  public RunScope makeCurrent() {
    RunSpan known = span;
    if (known == null) {
      return new RunScope(owner, this, null);
    }
    synchronized (this) {
      if (ended) {
        owner.misuse().count(MisuseCounts.Kind.UNKNOWN_RUN);
        return new RunScope(owner, this, null);
      }
    }
    RunScope none = new RunScope(owner, this, null);
    return owner.guarded(() -> opened(new RunScope(owner, this, known.makeCurrent())), none);
  }

  private RunScope opened(RunScope opened) {
    RunScope evicted;
    boolean tooLate;
    synchronized (this) {
      tooLate = ended;
      scopes.add(opened);
      evicted = tooMany(scopes);
    }
    if (tooLate) { // another thread has just ended the run
      opened.leave();
    }
    if (evicted != null) {
      owner.misuse().count(MisuseCounts.Kind.TOO_MANY_STEPS);
      evicted.leave();
    }
    return opened;
  }

  synchronized void closed(RunScope scope) {
    scopes.remove(scope);
  }

  /** The first one, which is then removed; null if there are not too many. */
  private static <T> @Nullable T tooMany(Set<T> open) {
    if (open.size() <= MAX_OPEN) {
      return null;
    }
    Iterator<T> oldest = open.iterator();
    T evicted = oldest.next();
    oldest.remove();
    return evicted;
  }

  /**
   * Adds the IDs of the run's span to a record, whatever is current; see {@link
   * TraceCorrelation#stamp}. Also works after the end of the run.
   *
   * @return the record
   */
  public <M extends Map<String, ? super String>> M stamp(M record) {
    TraceCorrelation.stamp(ids(), record);
    return record;
  }

  /**
   * A link to the run's span in a trace viewer, from the template in {@code
   * ROLL_OTEL_TRACE_URL_TEMPLATE}; see {@link TraceCorrelation#link()}. Also works after the end of
   * the run.
   */
  public Optional<String> link() {
    return TraceCorrelation.link(TraceCorrelation.template(), ids());
  }

  private TraceCorrelation.@Nullable Ids ids() {
    RunSpan known = span;
    return known == null
        ? null
        : owner
            .guarded(() -> Optional.ofNullable(known.ids()), Optional.<TraceCorrelation.Ids>empty())
            .orElse(null);
  }

  /**
   * Starts a step. Its span is current on this thread until the step is closed, so it is the parent
   * of what is traced meanwhile, such as calls of worker methods. Steps may come in any order, and
   * several may be open at once.
   *
   * @param step the step's number
   * @param actionType what the step does; null becomes {@code unknown}
   */
  public RunStep step(int step, @Nullable String actionType) {
    RunSpan known = span;
    RunStep none = new RunStep(owner, this, step, null);
    if (known == null) {
      return none;
    }
    synchronized (this) {
      if (ended) {
        owner.misuse().count(MisuseCounts.Kind.UNKNOWN_RUN);
        return none;
      }
    }
    String action = actionType == null ? "unknown" : actionType;
    return owner.guarded(
        () -> {
          RunStep started = new RunStep(owner, this, step, known.startStep(id, step, action));
          return opened(started);
        },
        none);
  }

  private RunStep opened(RunStep started) {
    RunStep evicted;
    boolean tooLate;
    synchronized (this) {
      tooLate = ended;
      open.add(started);
      evicted = tooMany(open);
    }
    if (tooLate) { // another thread has just ended the run
      leftOpen(started);
    }
    if (evicted != null) {
      owner.misuse().count(MisuseCounts.Kind.TOO_MANY_STEPS);
      evicted.abandon();
    }
    return started;
  }

  /**
   * Sets the totals that are recorded at the end of the run. Without this call, they are computed
   * from the steps. Does nothing if the run has ended.
   */
  public Run totals(int totalSteps, double totalReward) {
    if (!Double.isFinite(totalReward)) {
      owner.misuse().count(MisuseCounts.Kind.NOT_A_NUMBER);
    }
    synchronized (this) {
      if (ended) {
        owner.misuse().count(MisuseCounts.Kind.TOTALS_AFTER_END);
        return this;
      }
      givenSteps = (long) totalSteps;
      givenReward = Double.isFinite(totalReward) ? (Double) totalReward : givenReward;
    }
    return this;
  }

  /**
   * Ends the run and its open steps.
   *
   * @param completed whether the run achieved its goal
   * @param finalAnswer the result, of which the first 1,000 characters are kept; null if there is
   *     none
   * @param runPath where the run left its files; null if it left none
   */
  public void end(boolean completed, @Nullable String finalAnswer, @Nullable String runPath) {
    end(completed, completed ? null : "Run did not complete", finalAnswer, runPath);
  }

  /** Ends the run as not completed. The first 200 characters of the reason are kept. */
  public void fail(@Nullable String error) {
    end(false, error == null ? "Run did not complete" : error, null, null);
  }

  private void end(
      boolean completed,
      @Nullable String error,
      @Nullable String finalAnswer,
      @Nullable String runPath) {
    if (span != null && !endOnce(completed, error, finalAnswer, runPath)) {
      owner.misuse().count(MisuseCounts.Kind.ENDED_TWICE);
    }
  }

  @Override
  public void close() {
    if (span != null) {
      endOnce(false, "Run did not complete", null, null);
    }
  }

  /** Neither completed nor failed: unknown. */
  void closeUnended() {
    endOnce(false, null, null, null);
  }

  private boolean endOnce(
      boolean completed,
      @Nullable String error,
      @Nullable String finalAnswer,
      @Nullable String runPath) {
    List<RunStep> unclosed;
    List<RunScope> current;
    synchronized (this) {
      if (ended) {
        return false;
      }
      ended = true;
      unclosed = new ArrayList<>(open);
      current = new ArrayList<>(scopes);
      scopes.clear();
    }
    unclosed.forEach(this::leftOpen);
    current.forEach(RunScope::leave);
    long totalSteps;
    double totalReward;
    synchronized (this) {
      totalSteps = givenSteps == null ? steps : givenSteps;
      totalReward = givenReward == null ? reward : givenReward;
    }
    owner.forget(this);
    RunSpan known = span;
    if (known != null) {
      String answer = owner.contentOf(finalAnswer);
      owner.guarded(() -> known.end(completed, totalSteps, totalReward, runPath, answer, error));
    }
    return true;
  }

  private void leftOpen(RunStep step) {
    owner.misuse().leftOpen(step.number(), id);
    step.abandon();
  }

  /**
   * The run's total reward after a step.
   *
   * @param given the total that the step states, or null
   */
  synchronized double stepEnded(RunStep step, double stepReward, @Nullable Double given) {
    open.remove(step);
    steps++;
    reward = given == null ? reward + stepReward : given;
    return reward;
  }

  boolean isRecorded() {
    return span != null;
  }

  /** Entered among the open runs. */
  void counted() {
    RunSpan known = span;
    if (known != null) {
      owner.guarded(known::count);
    }
  }
}
