package io.rollotel.benchmarks.peers;

import io.opentelemetry.instrumentation.annotations.WithSpan;
import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.Register;
import java.util.Map;

/** The smallest program: nothing, or one call that each agent traces by its own annotation. */
public final class Smallest {

  private Smallest() {}

  /** Calls once if an argument says so. */
  public static void main(String[] arguments) {
    if (arguments.length > 0) {
      System.out.println(new Smallest().train(Payloads.METHOD_CALL));
    }
  }

  @WithSpan
  @Register(trace = true)
  private int train(@MetaInfo Map<String, Object> metaInfo) {
    return metaInfo.size();
  }
}
