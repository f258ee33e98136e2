/**
 * What a finished run's traces file says: where the time went, the critical path, the bottleneck.
 *
 * <p>Start with {@link io.rollotel.traces.report.RunReport}, which reads runs and shows one; {@link
 * io.rollotel.traces.report.Comparison} sets it against another, {@link
 * io.rollotel.traces.report.Export} hands it to other tools. Inside, {@code Spans} are the columns
 * that were read, {@code SpanTree} who called whom, and {@code RunAnalysis} what follows from it.
 */
@NullMarked
package io.rollotel.traces.report;

import org.jspecify.annotations.NullMarked;
