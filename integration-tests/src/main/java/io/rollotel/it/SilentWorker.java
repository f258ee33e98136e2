package io.rollotel.it;

/** Nothing in it is traced. */
public final class SilentWorker {

  private SilentWorker() {}

  /** Says so. */
  public static void main(String[] arguments) {
    System.out.println("done");
  }
}
