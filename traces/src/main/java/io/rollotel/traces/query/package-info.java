/**
 * Queries: one line that selects spans, with the same syntax on the command line and on the page,
 * whose {@code page-query.js} is the twin of this parser.
 *
 * <p>{@link io.rollotel.traces.query.Query} reads one, {@link io.rollotel.traces.query.QueryTags}
 * looks at attributes while spans are read, and {@link io.rollotel.traces.query.SpanMatches} finds
 * the spans of a run.
 */
@NullMarked
package io.rollotel.traces.query;

import org.jspecify.annotations.NullMarked;
