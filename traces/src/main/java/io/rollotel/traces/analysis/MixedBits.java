package io.rollotel.traces.analysis;

/** Numbers that look random, made from ids, which may be consecutive: to choose some of many. */
final class MixedBits {

  private MixedBits() {}

  /** The same for the same bits; the finalizer of SplittableRandom. */
  static long of(long bits) {
    long once = (bits ^ bits >>> 30) * 0xbf58476d1ce4e5b9L;
    long twice = (once ^ once >>> 27) * 0x94d049bb133111ebL;
    return twice ^ twice >>> 31;
  }
}
