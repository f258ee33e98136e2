package io.rollotel.it;

/** An exporter whose class does not refer to the SDK directly. */
final class InheritingExporter extends PrintingExporter {}
