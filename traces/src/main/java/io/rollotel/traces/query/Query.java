package io.rollotel.traces.query;

import java.io.Serializable;
import java.util.List;

/**
 * A query for spans: {@code name:generate rank:3 dur>1s -status:error}. docs/report.md has the
 * forms of terms.
 */
public final class Query implements Serializable {

  private final String text;

  /** All terms of an alternative must match. */
  private final List<List<Term>> alternatives;

  private Query(String text, List<List<Term>> alternatives) {
    this.text = text;
    this.alternatives = alternatives;
  }

  /**
   * Reads a query.
   *
   * @throws QueryException if it is invalid or empty
   */
  public static Query parse(String text) throws QueryException {
    List<List<Term>> alternatives = new QueryParser(text).parse();
    if (alternatives.isEmpty()) {
      throw new QueryException("The query is empty. Write, for example, dur>20ms.", 0);
    }
    return new Query(text, alternatives);
  }

  /** As it was written. */
  public String text() {
    return text;
  }

  List<List<Term>> alternatives() {
    return alternatives;
  }

  /** The terms that need data of a span that the columns do not keep. */
  List<Term> termsOfContents() {
    return alternatives.stream().flatMap(List::stream).filter(Term::isOfContents).toList();
  }

  /** Whether spans must be read with {@link QueryTags}. */
  public boolean needsContents() {
    return !termsOfContents().isEmpty();
  }
}
