/**
 * The traces file: one OTLP/JSON line per export request, the format of otelcol's file exporter.
 *
 * <p>Start with {@link io.rollotel.traces.file.TracesWriter}, which appends what arrives on the
 * wire, and {@link io.rollotel.traces.file.TracesReader}, which gives a file or a whole directory
 * back as {@link io.rollotel.traces.file.Span}s; {@link io.rollotel.traces.file.RequestReader}
 * gives the requests of any {@link io.rollotel.traces.file.Signal} back as they were on the wire.
 */
@NullMarked
package io.rollotel.traces.file;

import org.jspecify.annotations.NullMarked;
