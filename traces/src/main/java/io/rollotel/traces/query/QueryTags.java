package io.rollotel.traces.query;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.SpanEvent;
import io.rollotel.traces.spans.SpanTags;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Checks the attributes and texts of spans while they are read, so that none must be kept: one bit
 * for each span and term of a query.
 */
public final class QueryTags implements SpanTags.Form {

  private static final byte[] NONE = {};

  /** The prefix of a trace ID to search for, if any. */
  private static final Pattern TRACE = Pattern.compile("[0-9a-f]{8,32}");

  private final Query query;
  private final List<Term> terms;
  private final BitSet[] marks;

  /** The terms whose attribute some span has. */
  private final BitSet known = new BitSet();

  private final SpanTags.@Nullable Form kept;
  private int spans;

  /**
   * For the spans of one pass of reading.
   *
   * @param kept selects the attributes to keep; null to keep none
   */
  public QueryTags(Query query, SpanTags.@Nullable Form kept) {
    this.query = query;
    this.terms = query.termsOfContents();
    this.marks = new BitSet[terms.size()];
    for (int i = 0; i < marks.length; i++) {
      marks[i] = new BitSet();
    }
    this.kept = kept;
  }

  Query query() {
    return query;
  }

  @Override
  public byte[] json(Span span) {
    for (int i = 0; i < marks.length; i++) {
      Term term = terms.get(i);
      if (term.kind() == Term.Kind.ATTRIBUTE && span.attributes().containsKey(term.key())) {
        known.set(i);
      }
      if (matches(term, span)) {
        marks[i].set(spans);
      }
    }
    spans++;
    return kept == null ? NONE : kept.json(span);
  }

  /** The spans that matched a term, whether or not it excludes them. */
  BitSet marks(Term term) {
    return marks[terms.indexOf(term)];
  }

  /** Attributes in the query that no span has. */
  List<String> unknownAttributes() {
    return IntStream.range(0, terms.size())
        .filter(i -> !known.get(i) && !terms.get(i).isNot())
        .mapToObj(terms::get)
        .filter(term -> term.kind() == Term.Kind.ATTRIBUTE)
        .map(Term::key)
        .distinct()
        .toList();
  }

  private static boolean matches(Term term, Span span) {
    if (term.kind() == Term.Kind.ATTRIBUTE) {
      Object value = span.attributes().get(term.key());
      return value != null && term.matchesAttribute(value);
    }
    String wanted = term.wanted();
    return (span.statusCode() == Span.STATUS_ERROR && isIn(span.failure(), wanted))
        || isIn(span.attributes(), wanted)
        || isIn(span.events(), wanted)
        || span.spanId().contains(wanted)
        || (isOfTraceId(wanted) && span.traceId().startsWith(wanted));
  }

  /** Whether it may be a prefix of a trace ID. */
  static boolean isOfTraceId(String wanted) {
    return TRACE.matcher(wanted).matches();
  }

  private static boolean isIn(List<SpanEvent> events, String wanted) {
    for (SpanEvent event : events) {
      if (isIn(event.name(), wanted) || isIn(event.attributes(), wanted)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isIn(Map<String, Object> attributes, String wanted) {
    for (Map.Entry<String, Object> entry : attributes.entrySet()) {
      if (isIn(entry.getKey(), wanted) || isIn(AttributeText.of(entry.getValue()), wanted)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isIn(String text, String wanted) {
    return text.toLowerCase(Locale.ROOT).contains(wanted);
  }
}
