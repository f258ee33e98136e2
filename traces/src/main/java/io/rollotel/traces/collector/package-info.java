/**
 * The driver's side: how the processes of a run find its collector, and the collector itself.
 *
 * <p>{@link io.rollotel.traces.collector.Rendezvous} decides who collects; {@link
 * io.rollotel.traces.collector.EmbeddedCollector} takes OTLP/HTTP and appends it to the traces
 * file.
 */
@NullMarked
package io.rollotel.traces.collector;

import org.jspecify.annotations.NullMarked;
