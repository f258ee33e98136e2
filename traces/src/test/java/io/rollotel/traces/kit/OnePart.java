package io.rollotel.traces.kit;

import io.rollotel.traces.analysis.TraceParts;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.Spans;
import java.util.List;
import java.util.function.Predicate;

/** Spans that are all in one part. */
public record OnePart(List<Span> spans) implements TraceParts {

  @Override
  public int count() {
    return 1;
  }

  @Override
  public void read(int part, Spans into) {
    spans.forEach(into::add);
  }

  @Override
  public List<Span> read(int part, Predicate<String> isWanted) {
    return spans.stream().filter(span -> isWanted.test(span.traceId())).toList();
  }
}
