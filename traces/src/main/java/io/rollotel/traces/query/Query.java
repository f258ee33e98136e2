package io.rollotel.traces.query;

import java.io.Serializable;
import java.util.List;

/**
 * Which spans are wanted: {@code name:generate rank:3 dur>1s -status:error}. docs/report.md has the
 * forms of terms.
 */
public final class Query implements Serializable {

  private final String text;

  /** Of an alternative all terms have to match. */
  private final List<List<Term>> alternatives;

  private Query(String text, List<List<Term>> alternatives) {
    this.text = text;
    this.alternatives = alternatives;
  }

  /**
   * Reads a query.
   *
   * @throws QueryException if it cannot be read, or says nothing
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

  /** The terms that need more of a span than the columns keep of it. */
  List<Term> termsOfContents() {
    return alternatives.stream().flatMap(List::stream).filter(Term::isOfContents).toList();
  }

  /** Whether spans have to be read with {@link QueryTags}. */
  public boolean needsContents() {
    return !termsOfContents().isEmpty();
  }
}
