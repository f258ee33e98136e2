/**
 * The analysis of a run's spans: steps, critical path, workers, fan-outs, queues, failures.
 *
 * <p>{@link io.rollotel.traces.analysis.RunAnalysis} has all of it for one run; {@link
 * io.rollotel.traces.analysis.Comparison} compares two runs. docs/analysis.md has the definitions.
 */
@NullMarked
package io.rollotel.traces.analysis;

import org.jspecify.annotations.NullMarked;
