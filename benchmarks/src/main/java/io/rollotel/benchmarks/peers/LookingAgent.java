package io.rollotel.benchmarks.peers;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import org.jspecify.annotations.Nullable;

/** The least that an agent with a class transformer costs: it looks at no class. */
public final class LookingAgent implements ClassFileTransformer {

  private LookingAgent() {}

  /** Is shown each class. */
  public static void premain(String arguments, Instrumentation instrumentation) {
    instrumentation.addTransformer(new LookingAgent());
  }

  @Override
  public byte @Nullable [] transform(
      Module module,
      @Nullable ClassLoader loader,
      @Nullable String name,
      @Nullable Class<?> redefined,
      @Nullable ProtectionDomain domain,
      byte[] bytes) {
    return null;
  }
}
