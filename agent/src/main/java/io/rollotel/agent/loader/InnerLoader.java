package io.rollotel.agent.loader;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.security.AllPermission;
import java.security.Permissions;
import java.security.ProtectionDomain;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;

/**
 * Loads the classes below {@code inner/} in the agent's jar, where no other loader finds them: Byte
 * Buddy, the OpenTelemetry SDK, the collector. None of them can conflict with the application's
 * libraries.
 *
 * <p>There is one for the agent itself, and below it one for each copy of the OpenTelemetry API: it
 * holds a copy of the SDK, linked to the API that the application's classes see, so that spans made
 * by either are one tree.
 */
public final class InnerLoader extends ClassLoader {

  static {
    registerAsParallelCapable();
  }

  /** The packages that are loaded once for each copy of the API. */
  private static final List<String> PER_API =
      List.of(
          "io.opentelemetry.",
          "io.rollotel.agent.export.",
          "io.rollotel.agent.link.",
          "io.rollotel.agent.metrics.",
          "io.rollotel.agent.sdk.",
          "io.rollotel.agent.span.",
          "io.rollotel.telemetry.");

  /** The packages that come from the application's copy of the API, if it has them. */
  private static final List<String> API =
      List.of("io.opentelemetry.api.", "io.opentelemetry.context.");

  /**
   * Not part of the stable API: a version other than the SDK's breaks it. The SDK works without it.
   */
  private static final String INCUBATOR = "io.opentelemetry.api.incubator.";

  /**
   * Internal to the API's artifact, stateless, and different in each version: the SDK needs the
   * ones it was compiled with, and no other code can tell them from the API's own.
   */
  private static final Set<String> STATELESS =
      Set.of(
          "io.opentelemetry.api.internal.ConfigUtil",
          "io.opentelemetry.api.internal.OtelEncodingUtils");

  /**
   * The classes have no code source, so that tools that instrument applications, such as JaCoCo,
   * leave them alone. A security policy could grant them nothing, so they get all permissions.
   */
  private static final ProtectionDomain DOMAIN = new ProtectionDomain(null, all());

  /**
   * {@code getParent()} calls a security manager, and would fail before the warning could be
   * printed.
   */
  private static final ClassLoader PLATFORM = ClassLoader.getPlatformClassLoader();

  private static Permissions all() {
    Permissions all = new Permissions();
    all.add(new AllPermission());
    return all;
  }

  private final JarFile jar;
  private final InnerClasses classes;
  private final @Nullable InnerLoader agent;
  private final @Nullable ClassLoader api;

  private InnerLoader(
      String name,
      JarFile jar,
      InnerClasses classes,
      @Nullable InnerLoader agent,
      @Nullable ClassLoader api) {
    super(name, PLATFORM);
    this.jar = jar;
    this.classes = classes;
    this.agent = agent;
    this.api = api;
  }

  /** The agent's own. */
  public static InnerLoader ofAgent() throws IOException {
    JarFile jar = jar();
    return new InnerLoader("roll-otel", jar, InnerClasses.ofAgent(jar), null, null);
  }

  /** The command line's. */
  public static InnerLoader ofCommand() throws IOException {
    JarFile jar = jar();
    return new InnerLoader("roll-otel", jar, InnerClasses.ofCommand(jar), null, null);
  }

  private static JarFile jar() throws IOException {
    URL location = InnerLoader.class.getProtectionDomain().getCodeSource().getLocation();
    try {
      return new JarFile(new File(location.toURI()), false);
    } catch (URISyntaxException e) {
      throw new IOException("no file: " + location, e);
    }
  }

  /** The agent's inside. The outer classes access no other class by name. */
  public InnerAgent agent() throws ReflectiveOperationException {
    return Class.forName("io.rollotel.agent.startup.Startup", true, this)
        .asSubclass(InnerAgent.class)
        .getConstructor()
        .newInstance();
  }

  /**
   * A copy of the SDK.
   *
   * @param apiLoader the loader of the API to link to, or null for the agent's own copy
   */
  public InnerLoader forApi(@Nullable ClassLoader apiLoader) {
    return new InnerLoader("roll-otel-sdk", jar, classes, this, apiLoader);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : find(name);
    }
  }

  private Class<?> find(String name) throws ClassNotFoundException {
    if (name.startsWith("java.")) {
      return PLATFORM.loadClass(name);
    }
    boolean perApi = startsWithAny(name, PER_API);
    if ((perApi && agent == null) || name.startsWith(INCUBATOR)) {
      throw new ClassNotFoundException(name);
    }
    if (agent != null && !perApi) {
      return agent.loadClass(name);
    }
    if (api != null && startsWithAny(name, API) && !STATELESS.contains(name)) {
      try {
        return api.loadClass(name);
      } catch (ClassNotFoundException olderApi) {
        // Classes that the application's copy lacks come from ours.
      }
    }
    InnerClasses.Place place = place(name.replace('.', '/') + ".class");
    if (place != null) {
      return define(name, place);
    }
    if (name.startsWith("io.rollotel.agent.")) {
      return InnerLoader.class.getClassLoader().loadClass(name);
    }
    return PLATFORM.loadClass(name);
  }

  private Class<?> define(String name, InnerClasses.Place place) {
    try {
      return defineClass(name, place.bytes, place.offset, place.length, DOMAIN);
    } catch (LinkageError e) {
      // Another agent that looks at the class may have loaded it meanwhile, on this thread.
      Class<?> loaded = findLoadedClass(name);
      if (loaded == null) {
        throw e;
      }
      return loaded;
    }
  }

  private static boolean startsWithAny(String name, List<String> prefixes) {
    for (String prefix : prefixes) {
      if (name.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }

  private InnerClasses.@Nullable Place place(String path) throws ClassNotFoundException {
    try {
      return classes.find(path);
    } catch (IOException e) {
      throw new ClassNotFoundException(path + " cannot be read in the agent's jar", e);
    }
  }

  /** Also class files, which have no URL. */
  @Override
  public @Nullable InputStream getResourceAsStream(String name) {
    if (name.endsWith(".class")) {
      try {
        InnerClasses.Place place = classes.find(name);
        if (place != null) {
          return new ByteArrayInputStream(place.bytes, place.offset, place.length);
        }
        // The hook's class file: by its URL, the JDK would open the jar a second time.
        JarEntry door = jar.getJarEntry(name);
        if (door != null) {
          return jar.getInputStream(door);
        }
      } catch (IOException e) {
        return null;
      }
    }
    return super.getResourceAsStream(name);
  }

  @Override
  public @Nullable URL getResource(String name) {
    return findResource(name);
  }

  @Override
  public Enumeration<URL> getResources(String name) {
    return findResources(name);
  }

  @Override
  protected @Nullable URL findResource(String name) {
    if (jar.getEntry(InnerClasses.FOLDER + name) == null) {
      return null;
    }
    try {
      return URI.create(
              "jar:" + new File(jar.getName()).toURI() + "!/" + InnerClasses.FOLDER + name)
          .toURL();
    } catch (MalformedURLException e) {
      return null;
    }
  }

  @Override
  protected Enumeration<URL> findResources(String name) {
    URL found = findResource(name);
    return found == null ? Collections.emptyEnumeration() : Collections.enumeration(List.of(found));
  }
}
