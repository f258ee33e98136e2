package io.ray.runtime.exception;

/** Stands for Ray's class in tests: how an actor ends itself. */
public final class RayIntentionalSystemExitException extends RuntimeException {
  private static final long serialVersionUID = 1;
}
