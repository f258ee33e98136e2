package io.rollotel.traces.spans;

/** One span of the columns, as a row of a report shows it. */
public record SpanRow(Spans spans, int number) {

  /** 32 hex digits. */
  public String traceId() {
    return spans.traceIdOf(number);
  }

  /** 16 hex digits. */
  public String spanId() {
    return spans.spanId(number);
  }

  public String name() {
    return spans.nameOf(number);
  }

  public int nameNumber() {
    return spans.name(number);
  }

  public TracedProcess process() {
    return spans.processOf(number);
  }

  public int processNumber() {
    return spans.process(number);
  }

  public long startEpochNanos() {
    return spans.start(number);
  }

  public long nanos() {
    return spans.nanos(number);
  }

  public boolean isError() {
    return spans.isError(number);
  }

  /** Why it failed. */
  public String failureText() {
    return spans.failureText(spans.failure(number));
  }

  /** The same with {@code #} for each number, id and address in it. */
  public String failurePattern() {
    return spans.failurePattern(spans.failure(number));
  }
}
