package io.rollotel.traces.file;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names that {@link FileRotation} assigns. In a separate class, so that writers that do not
 * compress files need not load regular expressions.
 */
final class SetAsideName {

  private static final Pattern FORM =
      Pattern.compile(
          "(.*)-(\\d{4}-\\d{2}-\\d{2}T\\d{2}-\\d{2}-\\d{2}\\.\\d{3})(?:-\\d+)?\\.jsonl(?:\\.gz)?");

  private SetAsideName() {}

  /** Whether a file has such a name, so that it is not written any more. */
  static boolean is(String name) {
    return FORM.matcher(name).matches();
  }

  /** The original name of the file; any other name unchanged. */
  static String original(String name) {
    Matcher setAside = FORM.matcher(name);
    return setAside.matches() ? setAside.group(1) + ".jsonl" : name;
  }

  /** When it was set aside, as {@link FileRotation#time} writes it; empty for any other name. */
  static String time(String name) {
    Matcher setAside = FORM.matcher(name);
    return setAside.matches() ? setAside.group(2) : "";
  }
}
