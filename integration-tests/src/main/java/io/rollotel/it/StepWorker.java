package io.rollotel.it;

import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;

/** A driver whose loop is annotated, as in the README, and its worker. */
public final class StepWorker {

  private StepWorker() {}

  /** Runs two steps. */
  public static void main(String[] arguments) {
    step(0);
    step(1);
  }

  @Register(trace = true, name = "pipeline_step")
  private static void step(@SpanAttribute("global_step") int step) {
    dispatch(new Payload());
  }

  @Dispatch
  private static void dispatch(Payload payload) {
    train(payload);
  }

  @Register(trace = true)
  private static void train(Payload payload) {}
}
