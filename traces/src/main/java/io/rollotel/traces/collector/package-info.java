/**
 * The driver's side: how the processes of a run find its collector, and the collector itself.
 *
 * <p>{@link io.rollotel.traces.collector.Rendezvous} decides who collects; {@link
 * io.rollotel.traces.collector.EmbeddedCollector} takes OTLP/HTTP and OTLP/gRPC and appends it to
 * the traces file. Where no gRPC port is set, the collector loads neither grpc-java nor Netty.
 */
@NullMarked
package io.rollotel.traces.collector;

import org.jspecify.annotations.NullMarked;
