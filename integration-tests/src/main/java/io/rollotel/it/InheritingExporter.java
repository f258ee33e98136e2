package io.rollotel.it;

/** An exporter whose class does not name the SDK itself. */
final class InheritingExporter extends PrintingExporter {}
