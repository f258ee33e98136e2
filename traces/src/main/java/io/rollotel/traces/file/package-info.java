/**
 * Traces files: a line of OTLP/JSON for each export request, the format of otelcol's file exporter.
 *
 * <p>{@link io.rollotel.traces.file.TracesWriter} appends requests to a file. {@link
 * io.rollotel.traces.file.TracesReader} reads the spans of a file or of a whole directory, {@link
 * io.rollotel.traces.file.RequestReader} the requests of any signal.
 */
@NullMarked
package io.rollotel.traces.file;

import org.jspecify.annotations.NullMarked;
