package io.rollotel.it.kit;

import io.rollotel.it.Situations;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The results of {@link Situations}, and the spans that each situation made, as {@code a(b c)}. */
public final class SituationSpans {

  private final Map<String, List<Span>> byParent;
  private final Map<String, Span> situations = new TreeMap<>();
  private final Map<String, String> answers = new TreeMap<>();
  public final List<Span> all;

  public SituationSpans(Result result) throws IOException {
    all = result.spans();
    byParent = all.stream().collect(Collectors.groupingBy(Span::parentSpanId));
    for (Span span : all) {
      if (span.attributes().get("situation") instanceof String situation) {
        if (situations.put(situation, span) != null) {
          throw new AssertionError("twice: " + situation);
        }
      }
    }
    for (String line : result.lines()) {
      int end = line.lastIndexOf(' ');
      answers.put(line.substring(0, end), line.substring(end + 1));
    }
  }

  /** What each situation answered. */
  public Map<String, String> answers() {
    return answers;
  }

  /** The spans inside each situation. */
  public Map<String, String> trees() {
    Map<String, String> trees = new TreeMap<>();
    situations.forEach((situation, span) -> trees.put(situation, children(span)));
    return trees;
  }

  /** The spans that are below no situation. */
  public List<Span> strays() {
    Set<String> known = all.stream().map(Span::spanId).collect(Collectors.toSet());
    return all.stream()
        .filter(span -> !known.contains(span.parentSpanId()) && !situations.containsValue(span))
        .toList();
  }

  private String children(Span parent) {
    return byParent.getOrDefault(parent.spanId(), List.of()).stream()
        .sorted(Comparator.comparingLong(Span::startEpochNanos))
        .map(this::tree)
        .collect(Collectors.joining(" "));
  }

  private String tree(Span span) {
    String name = span.name().replaceFirst("^worker[.]", "");
    String inside = children(span);
    return inside.isEmpty() ? name : name + "(" + inside + ")";
  }
}
