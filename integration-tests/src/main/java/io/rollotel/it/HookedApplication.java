package io.rollotel.it;

import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;

/** Has its spans shaped by a startup hook. */
public final class HookedApplication {

  /** What a hook may set here, as it would install an instrumentation. */
  public static String value = "not set";

  private HookedApplication() {}

  /** A traced call, a suppressed one, and what the hook left. */
  public static void main(String[] arguments) {
    System.out.println("main");
    train(Payload.traced(), "ruth");
    quiet();
    System.out.println(value);
  }

  @Register(trace = true)
  private static int train(Payload payload, @SpanAttribute("user.name") String user) {
    return payload.getMetaInfo().size() + user.length();
  }

  @Register
  private static void quiet() {
    train(Payload.traced(), "eve");
  }
}
