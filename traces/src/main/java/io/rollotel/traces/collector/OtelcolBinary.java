package io.rollotel.traces.collector;

import java.io.File;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The program otelcol, if this host has one. */
public final class OtelcolBinary {

  private static final List<String> NAMES = List.of("otelcol-contrib", "otelcol");

  private OtelcolBinary() {}

  /** The binary that a driver starts; null if there is none. */
  public static @Nullable File find() {
    return find(System.getenv("PATH"));
  }

  /** The first of otelcol-contrib and otelcol on the search path; null if there is neither. */
  static @Nullable File find(@Nullable String searchPath) {
    for (String name : NAMES) {
      for (String folder : (searchPath == null ? "" : searchPath).split(File.pathSeparator, -1)) {
        File candidate = new File(folder, name);
        if (!folder.isEmpty() && candidate.isFile() && candidate.canExecute()) {
          return candidate.getAbsoluteFile();
        }
      }
    }
    return null;
  }
}
