package io.rollotel.traces.analysis;

/**
 * How far steps run at once.
 *
 * @param extentNanos from the first step's start to the last one's end
 * @param unionNanos the time in which at least one step runs
 * @param overlappedNanos the time in which at least two run
 * @param mostAtOnce the most that run at once; 0 if none takes any time
 * @param isOverlapping whether more than a hundredth of the sum of their times exceeds the union;
 *     as ends are recorded a little late, less means nothing
 */
public record StepOverlap(
    long extentNanos,
    long unionNanos,
    long overlappedNanos,
    int mostAtOnce,
    boolean isOverlapping) {

  /**
   * Counts the steps that run at each moment.
   *
   * @param starts sorted
   * @param ends sorted; the ends of the same steps
   */
  static StepOverlap of(long[] starts, long[] ends) {
    int count = starts.length;
    long wallNanos = 0;
    long unionNanos = 0;
    long overlappedNanos = 0;
    int mostAtOnce = 0;
    int begun = 0;
    long reached = count == 0 ? 0 : starts[0];
    for (int ended = 0; ended < count; ) {
      boolean isStart = begun < count && starts[begun] < ends[ended];
      long moment = isStart ? starts[begun] : ends[ended];
      long nanos = moment - reached;
      int atOnce = begun - ended;
      if (nanos > 0) {
        wallNanos += atOnce * nanos;
        unionNanos += atOnce > 0 ? nanos : 0;
        overlappedNanos += atOnce > 1 ? nanos : 0;
        mostAtOnce = Math.max(mostAtOnce, atOnce);
        reached = moment;
      }
      if (isStart) {
        begun++;
      } else {
        ended++;
      }
    }
    return new StepOverlap(
        count == 0 ? 0 : ends[count - 1] - starts[0],
        unionNanos,
        overlappedNanos,
        mostAtOnce,
        wallNanos - unionNanos > wallNanos / 100);
  }
}
