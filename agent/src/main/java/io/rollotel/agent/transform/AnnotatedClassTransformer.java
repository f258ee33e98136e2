package io.rollotel.agent.transform;

import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.loader.InnerLoader;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.ray.RayTransformer;
import io.rollotel.agent.settings.MethodList;
import io.rollotel.agent.weave.Weaver;
import java.lang.instrument.ClassFileTransformer;
import java.nio.charset.StandardCharsets;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Sees each class as it is loaded, and passes to the weaver only those whose constant pool names
 * one of our annotations. That takes a few table lookups per constant; the weaver is first loaded
 * for the first such class.
 */
public final class AnnotatedClassTransformer implements ClassFileTransformer, AutoCloseable {

  /** An entry in the constant pool of an annotated class. */
  public static final List<String> ANNOTATIONS =
      List.of(
          "Lio/rollotel/annotations/Register;",
          "Lio/rollotel/annotations/Dispatch;",
          "Lio/rollotel/annotations/Phase;");

  private static final byte[] REGISTER = ascii(ANNOTATIONS.get(0));
  private static final byte[] DISPATCH = ascii(ANNOTATIONS.get(1));
  private static final byte[] PHASE = ascii(ANNOTATIONS.get(2));
  private static final String GLOBAL = "io/opentelemetry/api/GlobalOpenTelemetry";

  private static final String RAY = "io/ray/runtime/";

  /**
   * Marks the subclasses that Mockito makes for mocks and spies, with the annotations of the
   * methods that they override. A spy calls the original, whose span would be doubled.
   */
  private static final String MOCK = "$MockitoMock$";

  private static final ClassLoader PLATFORM = ClassLoader.getPlatformClassLoader();

  /** Loaded with the first listed class, not in premain. */
  private static final class Generated {
    /**
     * The JDK's proxies, and generated classes, which two dollars mark; Scala marks anonymous
     * classes that way.
     */
    static final Pattern NAME = Pattern.compile("[$]Proxy[0-9]+$|[$][$](?!anon)");
  }

  private static final int UTF8 = 1;
  private static final int LONG = 5;
  private static final int DOUBLE = 6;

  private final MethodList methods;
  private final Ledger ledger;
  private final Runnable onFirstClass;
  private final @Nullable RayTransformer ray;
  private final AtomicBoolean begun = new AtomicBoolean();
  private volatile @Nullable Weaver weaver;

  /**
   * From now on, inspects each class.
   *
   * @param onFirstClass called once, inside the loading of the first annotated class: takes no lock
   *     and waits for nobody
   * @param ray weaves Ray's runtime; null if Ray is left unchanged
   */
  public AnnotatedClassTransformer(
      MethodList methods, Ledger ledger, Runnable onFirstClass, @Nullable RayTransformer ray) {
    this.ray = ray;
    this.methods = methods;
    this.ledger = ledger;
    this.onFirstClass = onFirstClass;
    // Loads the classes that the scan needs now, and not during the loading of another class.
    mentionsAnnotation(new byte[10]);
  }

  @Override
  public byte @Nullable [] transform(
      Module module,
      @Nullable ClassLoader loader,
      @Nullable String name,
      @Nullable Class<?> redefined,
      @Nullable ProtectionDomain domain,
      byte[] bytes) {
    // The JDK's own classes and the agent's have no annotations; scanning them would be wasted.
    if (loader == null || loader == PLATFORM || loader instanceof InnerLoader || name == null) {
      return null;
    }
    try {
      if (ray != null && name.startsWith(RAY)) {
        return ray.weave(loader, name, bytes);
      }
      if (!mentionsAnnotation(bytes) && !name.equals(GLOBAL) && !isListed(module, name)) {
        return null;
      }
      if (name.contains(MOCK)) {
        return null;
      }
      byte[] woven = weaver().weave(loader, bytes);
      if (!begun.get() && ledger.isBegun() && begun.compareAndSet(false, true)) {
        onFirstClass.run();
      }
      CodeSource source = woven == null || domain == null ? null : domain.getCodeSource();
      if (source != null && source.getLocation() != null) { // null for some made at run time
        ledger.codeSource(source.getLocation().toString());
      }
      return woven;
    } catch (Throwable t) {
      // A failing initializer logs nothing itself.
      String reason = t.getCause() == null ? t.toString() : t + " (" + t.getCause() + ")";
      AgentLog.warn(name.replace('/', '.') + " stays untraced: " + reason);
      ledger.failed(name.replace('/', '.'), reason);
      return null;
    }
  }

  @Override
  public void close() {
    if (ray != null) {
      ray.close();
    }
  }

  /**
   * The same for a loaded class.
   *
   * @param mentionsAnnotation {@link #mentionsAnnotation} for a class whose bytes are not available
   */
  public boolean concerns(Class<?> loaded, Predicate<Class<?>> mentionsAnnotation) {
    ClassLoader loader = loaded.getClassLoader();
    if (loader == null || loader == PLATFORM || loader instanceof InnerLoader || loaded.isArray()) {
      return false;
    }
    String name = loaded.getName().replace('.', '/');
    return name.equals(GLOBAL)
        || (ray != null && name.startsWith(RAY))
        || ((isListed(loaded.getModule(), name) || mentionsAnnotation.test(loaded))
            && !name.contains(MOCK));
  }

  private boolean isListed(Module module, String name) {
    return !methods.isEmpty()
        && methods.namesClass(name.replace('/', '.'))
        && !name.startsWith("io/rollotel/agent/")
        && !isOfTheJdk(module)
        && !isGenerated(name);
  }

  /** The system class loader defines some of the JDK's modules, such as its compiler. */
  public static boolean isOfTheJdk(Module module) {
    String name = module.getName();
    return name != null && (name.startsWith("java.") || name.startsWith("jdk."));
  }

  /** Proxies and similar classes delegate to their target, whose span would be doubled. */
  private static boolean isGenerated(String name) {
    return Generated.NAME.matcher(name).find();
  }

  private Weaver weaver() {
    Weaver known = weaver;
    if (known == null) {
      synchronized (this) {
        known = weaver;
        if (known == null) {
          known = new Weaver(methods, ledger);
          weaver = known;
        }
      }
    }
    return known;
  }

  /** Walks the constant pool (JVMS 4.4); false if it is not a class file. */
  static boolean mentionsAnnotation(byte[] bytes) {
    try {
      int count = unsignedShort(bytes, 8);
      int at = 10;
      for (int i = 1; i < count; i++) {
        int tag = bytes[at];
        if (tag == UTF8) {
          int length = unsignedShort(bytes, at + 1);
          if (length == REGISTER.length
              ? equal(bytes, at + 3, REGISTER) || equal(bytes, at + 3, DISPATCH)
              : length == PHASE.length && equal(bytes, at + 3, PHASE)) {
            return true;
          }
          at += 3 + length;
        } else {
          at += size(tag);
          if (tag == LONG || tag == DOUBLE) {
            i++; // these take two places
          }
        }
      }
      return false;
    } catch (ArrayIndexOutOfBoundsException notAClassFile) {
      return false;
    }
  }

  /** The bytes of a constant with its tag. */
  private static int size(int tag) {
    return switch (tag) {
      case 7, 8, 16, 19, 20 -> 3; // Class, String, MethodType, Module, Package
      case 15 -> 4; // MethodHandle
      case LONG, DOUBLE -> 9;
      default -> 5;
    };
  }

  private static int unsignedShort(byte[] bytes, int at) {
    return ((bytes[at] & 0xff) << 8) | (bytes[at + 1] & 0xff);
  }

  private static boolean equal(byte[] bytes, int at, byte[] wanted) {
    // From the end, because there the two names differ.
    for (int i = wanted.length - 1; i >= 0; i--) {
      if (bytes[at + i] != wanted[i]) {
        return false;
      }
    }
    return true;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
