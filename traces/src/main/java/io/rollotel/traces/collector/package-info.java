/**
 * The driver's side: how the processes of a run find its collector, and the collector itself.
 *
 * <p>{@link io.rollotel.traces.collector.Rendezvous} decides who collects; {@link
 * io.rollotel.traces.collector.EmbeddedCollector} takes OTLP/HTTP and OTLP/gRPC and appends it to
 * the traces file. A collector without a port for gRPC loads Netty with the first connection, and
 * never grpc-java.
 */
@NullMarked
package io.rollotel.traces.collector;

import org.jspecify.annotations.NullMarked;
