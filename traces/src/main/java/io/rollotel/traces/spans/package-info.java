/**
 * The spans that a report reads, without an object for each of them.
 *
 * <p>{@link io.rollotel.traces.spans.Spans} keeps them as columns, {@link
 * io.rollotel.traces.spans.SpanTree} knows which span called which, and {@link
 * io.rollotel.traces.spans.SpanTags} keeps what a page or an export shows of their attributes.
 */
@NullMarked
package io.rollotel.traces.spans;

import org.jspecify.annotations.NullMarked;
