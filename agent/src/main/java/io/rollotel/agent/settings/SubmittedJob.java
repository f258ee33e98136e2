package io.rollotel.agent.settings;

import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A driver that {@code ray job submit} has started. Its working directory may be a copy of the
 * user's that Ray deletes when the job ends, so its traces are beside Ray's sessions. Python's
 * {@code _place.py} has the same rule: both must find the same directory.
 */
final class SubmittedJob {

  /** The name of the variable; Ray means it. */
  private static final String CONFIG = "RAY_JOB_CONFIG_JSON_ENV_VAR";

  /** The last one counts: the job's metadata follow the user's own text. */
  private static final Pattern ID = Pattern.compile("\"job_submission_id\": *\"([^\"]*)\"");

  /**
   * Directories that Ray keeps for jobs and deletes; the first group is the directory of all its
   * sessions.
   */
  private static final Pattern CACHE = Pattern.compile("(.*)/session_[^/]+/runtime_resources/.*");

  private static final Pattern STRANGE = Pattern.compile("^\\.|[^A-Za-z0-9._-]");

  private static final int MOST_ID = 150;

  private SubmittedJob() {}

  /**
   * The directory for the traces of such a driver; null if this process is not one.
   *
   * @param environment gives a variable's value
   */
  static @Nullable String outputDir(
      UnaryOperator<@Nullable String> environment, String workingDirectory) {
    String config = environment.apply(CONFIG);
    String id = null;
    for (Matcher each = ID.matcher(config == null ? "" : config); each.find(); ) {
      id = each.group(1);
    }
    if (id == null || id.isEmpty()) {
      return null;
    }
    String name = STRANGE.matcher(id).replaceAll("-");
    return sessions(environment, workingDirectory)
        + "/roll-otel/"
        + name.substring(0, Math.min(name.length(), MOST_ID));
  }

  /** Whether Ray will delete this directory. */
  static boolean isInCache(String path) {
    return CACHE.matcher(path).matches();
  }

  /** Ray's temporary folder. A process that a driver starts elsewhere still inherits PWD. */
  private static String sessions(
      UnaryOperator<@Nullable String> environment, String workingDirectory) {
    for (String directory : new String[] {workingDirectory, environment.apply("PWD")}) {
      Matcher inCache = CACHE.matcher(directory == null ? "" : directory + "/");
      if (inCache.matches()) {
        return inCache.group(1);
      }
    }
    for (String name : new String[] {"RAY_TMPDIR", "TMPDIR"}) {
      String given = environment.apply(name);
      if (given != null && !given.isEmpty()) {
        return given + "/ray";
      }
    }
    return "/tmp/ray";
  }
}
