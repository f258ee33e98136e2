package io.rollotel.agent.sdk;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import org.jspecify.annotations.Nullable;

/**
 * The application's classes that use the SDK, linked to the agent's copy: those that name its
 * packages, their subclasses, and their nested classes. All other classes are the application's
 * own, so fields that a hook sets there are really set.
 */
final class CustomizerLoader extends ClassLoader {

  static {
    registerAsParallelCapable();
  }

  /** The application determines the providers. */
  static final String PROVIDERS =
      "META-INF/services/io.opentelemetry.sdk.autoconfigure.spi"
          + ".AutoConfigurationCustomizerProvider";

  private static final String OPENTELEMETRY = "io.opentelemetry.";
  private static final String SDK = "io/opentelemetry/sdk/";

  private final ClassLoader application;

  CustomizerLoader(ClassLoader application) {
    super("roll-otel-customizers", CustomizerLoader.class.getClassLoader());
    this.application = application;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : find(name);
    }
  }

  private Class<?> find(String name) throws ClassNotFoundException {
    if (name.startsWith(OPENTELEMETRY)) {
      try {
        return getParent().loadClass(name);
      } catch (ClassNotFoundException notOurs) {
        // A third party's exporter or sampler, in OpenTelemetry's package.
      }
    }
    try {
      byte[] bytes = speaksSdk(name.replace('.', '/'));
      if (bytes != null) {
        return defineClass(name, bytes, 0, bytes.length);
      }
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
    return application.loadClass(name);
  }

  /** A class's bytes, if it is one to be linked to the agent's SDK. */
  private byte @Nullable [] speaksSdk(String name) throws IOException {
    byte[] bytes = read(name);
    if (bytes == null) {
      return null;
    }
    ClassFileNames named = ClassFileNames.of(bytes);
    int nested = name.indexOf('$', name.lastIndexOf('/') + 2);
    boolean speaks =
        named.names(SDK) || (nested > 0 && speaksSdk(name.substring(0, nested)) != null);
    for (String type : named.supertypes()) {
      speaks = speaks || speaksSdk(type) != null;
    }
    return speaks ? bytes : null;
  }

  private byte @Nullable [] read(String name) throws IOException {
    if (name.startsWith("java/")) {
      return null;
    }
    try (InputStream in = application.getResourceAsStream(name + ".class")) {
      return in == null ? null : in.readAllBytes();
    }
  }

  @Override
  public @Nullable URL getResource(String name) {
    return name.equals(PROVIDERS) ? application.getResource(name) : getParent().getResource(name);
  }

  @Override
  public Enumeration<URL> getResources(String name) throws IOException {
    return name.equals(PROVIDERS) ? application.getResources(name) : Collections.emptyEnumeration();
  }
}
