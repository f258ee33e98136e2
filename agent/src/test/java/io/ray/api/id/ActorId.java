package io.ray.api.id;

/** Stands for Ray's class in tests: an id by its text. */
public record ActorId(String text) {

  public static final ActorId NIL = new ActorId("ffffffff");

  @Override
  public String toString() {
    return text;
  }
}
