package io.rollotel.it;

import io.rollotel.it.kit.CountedSpans;
import io.rollotel.it.kit.LiveProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a program does in the campaign without the agent and with it, by one seed. */
record CampaignOutcome(
    String faults,
    boolean isTimed,
    String plain,
    String traced,
    boolean plainIsOutOfMemory,
    boolean tracedIsOutOfMemory,
    String err,
    double extraSeconds,
    long made,
    long unsure,
    long found,
    long dropped) {

  /** How much longer than without the agent; the default allows for a busy machine. */
  private static final int MAX_SECONDS = Integer.getInteger("campaign.seconds", 60);

  /** In a full heap; from then on nothing is traced, and this line reports it. */
  private static final String NEVER_BEGAN = "the SDK cannot be built";

  private static final Pattern RESULT = Pattern.compile("= (-?\\d+) (\\d+) (\\d+)");
  private static final Pattern DROPPED = Pattern.compile("exported, ([\\d,]+) dropped");
  private static final Pattern FAILED = Pattern.compile("([\\d,]+) failures? inside tracing");

  static CampaignOutcome of(int seed, Path where) throws Exception {
    try (CampaignFaults faults = new CampaignFaults(seed, where)) {
      long startNanos = System.nanoTime();
      List<String> plainLines = new ArrayList<>();
      LiveProgram plain = faults.startPlain();
      int plainExitCode = plain.finish(plainLines);
      long plainNanos = System.nanoTime() - startNanos;

      startNanos = System.nanoTime();
      LiveProgram traced = faults.startTraced();
      Thread hands = faults.strike(traced.handle());
      List<String> lines = new ArrayList<>();
      int exitCode = traced.finish(lines);
      double extraSeconds = (System.nanoTime() - startNanos - plainNanos) / 1e9;
      hands.interrupt();
      hands.join();
      faults.end();

      Matcher result = RESULT.matcher(last(lines));
      boolean isThere = result.matches();
      long dropped = lastCount(DROPPED, traced.err()) + lastCount(FAILED, traced.err());
      return new CampaignOutcome(
          faults.toString(),
          faults.isTimed(),
          plainExitCode + " " + sum(plainLines),
          exitCode + " " + sum(lines),
          isOutOfMemory(plainExitCode, plain),
          isOutOfMemory(exitCode, traced),
          traced.err(),
          extraSeconds,
          isThere ? Long.parseLong(result.group(2)) : 0,
          isThere ? Long.parseLong(result.group(3)) : 0,
          CountedSpans.below(where),
          dropped);
    }
  }

  /** With a full heap any allocation of the program may throw it, in its main thread as well. */
  private static boolean isOutOfMemory(int exitCode, LiveProgram program) throws IOException {
    return CampaignFaults.FULL_HEAP
        && exitCode == 1
        && program.err().contains("Exception in thread \"main\" java.lang.OutOfMemoryError");
  }

  boolean isOutOfMemory() {
    return plainIsOutOfMemory || tracedIsOutOfMemory;
  }

  private static long lastCount(Pattern pattern, String text) {
    long count = 0;
    Matcher counts = pattern.matcher(text);
    while (counts.find()) {
      count = Long.parseLong(counts.group(1).replace(",", ""));
    }
    return count;
  }

  /** What is wrong; empty if nothing is. */
  String failure() {
    List<String> wrong = new ArrayList<>();
    if (!traced.equals(plain)) {
      wrong.add("exit code and sum " + traced + " instead of " + plain);
    }
    if (isTimed && extraSeconds > MAX_SECONDS) {
      wrong.add(String.format(Locale.ROOT, "%.1f s longer", extraSeconds));
    }
    if (found > made) {
      wrong.add(found + " spans of " + made + " calls");
    }
    if (found + dropped < made - unsure && !err.contains(NEVER_BEGAN)) {
      wrong.add(
          (made - unsure - found - dropped)
              + " spans of "
              + made
              + " calls lost without a word ("
              + found
              + " found, "
              + dropped
              + " dropped, "
              + unsure
              + " unsure)");
    }
    return wrong.isEmpty()
        ? ""
        : wrong + " with " + faults + "; said: " + err.strip().replace("\n", " | ");
  }

  private static String last(List<String> lines) {
    return lines.isEmpty() ? "" : lines.get(lines.size() - 1);
  }

  /** The last line, where it is no result. */
  private static String sum(List<String> lines) {
    Matcher result = RESULT.matcher(last(lines));
    return result.matches() ? result.group(1) : "none: " + last(lines);
  }
}
