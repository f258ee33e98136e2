package io.rollotel.agent.weave;

import java.lang.reflect.Modifier;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.scaffold.InstrumentedType;
import net.bytebuddy.dynamic.scaffold.MethodGraph;
import net.bytebuddy.dynamic.scaffold.TypeValidation;
import net.bytebuddy.implementation.Implementation;
import net.bytebuddy.pool.TypePool;

/**
 * Byte Buddy as all weaving uses it: the bodies of methods change and nothing else, and no class is
 * loaded for it.
 */
public final class MethodBodies {

  private static final ByteBuddy BYTE_BUDDY =
      new ByteBuddy()
          // No method graph, no validation: both would load the types that a class names.
          .with(MethodGraph.Compiler.ForDeclaredMethods.INSTANCE)
          .with(TypeValidation.DISABLED)
          // No helper member may be added to the class.
          .with(Implementation.Context.Disabled.Factory.INSTANCE)
          .with(InstrumentedType.Factory.Default.FROZEN);

  private MethodBodies() {}

  /**
   * Describes a class from its bytes.
   *
   * @param others where the types lie that it names; those that are missing do not matter
   */
  public static TypeDescription describe(String name, byte[] bytes, ClassFileLocator... others) {
    return new TypePool.Default.WithLazyResolution(
            new NamesOfMissing(),
            new ClassFileLocator.Compound(
                ClassFileLocator.Simple.of(name, bytes), new ClassFileLocator.Compound(others)),
            TypePool.Default.ReaderMode.FAST)
        .describe(name)
        .resolve();
  }

  public static byte[] decorate(TypeDescription type, byte[] bytes, AsmVisitorWrapper visitor) {
    return BYTE_BUDDY
        .decorate(type, ClassFileLocator.Simple.of(type.getName(), bytes))
        .visit(visitor)
        .make()
        .getBytes();
  }

  /**
   * Describes a type that is not on the class path by its name alone: {@code Register(expected)}
   * may name one, and that is all that is asked of it.
   */
  private static final class NamesOfMissing extends TypePool.CacheProvider.Simple {

    private static final TypeDescription OBJECT = TypeDescription.ForLoadedType.of(Object.class);

    NamesOfMissing() {
      register(OBJECT.getName(), new TypePool.Resolution.Simple(OBJECT));
    }

    @Override
    public TypePool.Resolution register(String name, TypePool.Resolution found) {
      return super.register(
          name,
          found.isResolved()
              ? found
              : new TypePool.Resolution.Simple(
                  new TypeDescription.Latent(name, Modifier.PUBLIC, OBJECT.asGenericType())));
    }
  }
}
