package io.ray.runtime.generated;

/** Stands for Ray's class in tests. */
public final class Common {

  private Common() {}

  /** A task as LOCAL mode describes it. */
  public record TaskSpec(Bytes getTaskId) {}

  /** Ray's are protobuf's. */
  public record Bytes(byte[] toByteArray) {}
}
