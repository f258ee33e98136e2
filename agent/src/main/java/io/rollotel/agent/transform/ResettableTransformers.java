package io.rollotel.agent.transform;

import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.AgentLog;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.IllegalClassFormatException;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The agent's changes to this JVM's classes, and how to undo them. Every transformer of the agent
 * is registered here. The classes that it changes are remembered, weakly, and {@link #reset}
 * restores them.
 *
 * <p>Transformers are added as capable of retransformation, also in premain. The JVM regards the
 * changes of an incapable one as the class's original, so they could not be undone. Capable ones
 * also run after incapable ones, whatever the order of the agents: JaCoCo identifies a class by the
 * bytes that it sees.
 */
public final class ResettableTransformers {

  private final Instrumentation instrumentation;
  private final Ledger ledger;
  private volatile boolean ended;

  // Guarded by this.
  private final List<Remembered> added = new ArrayList<>();

  /** The names of changed classes by the unnamed module of their loader. */
  private final Map<Module, Set<String>> changed = new WeakHashMap<>();

  public ResettableTransformers(Instrumentation instrumentation, Ledger ledger) {
    this.instrumentation = instrumentation;
    this.ledger = ledger;
  }

  /** Whether nothing is changed any more. */
  public boolean hasEnded() {
    return ended;
  }

  public Instrumentation instrumentation() {
    return instrumentation;
  }

  /**
   * Lets a transformer see each class that is loaded from now on. If it can be closed, {@link
   * #reset} does so.
   */
  public void add(ClassFileTransformer transformer) {
    Remembered remembered = new Remembered(transformer);
    synchronized (this) {
      added.add(remembered);
    }
    instrumentation.addTransformer(remembered, true);
    if (ended) {
      // The reset may have missed it.
      instrumentation.removeTransformer(remembered);
      remembered.close();
    }
  }

  /**
   * Applies the transformers to loaded classes: to all of them in one pause if possible, otherwise
   * one by one, so that a failing class affects no other. Logs each class that cannot be changed.
   */
  public void retransform(Collection<Class<?>> loaded) {
    List<Class<?>> modifiable = new ArrayList<>();
    for (Class<?> type : loaded) {
      if (instrumentation.isModifiableClass(type)) {
        modifiable.add(type);
      } else {
        AgentLog.warn(type.getName() + " is left unchanged: no JVM changes a class of this kind");
        ledger.failed(type.getName(), "no JVM changes a class of this kind");
      }
    }
    if (modifiable.isEmpty()) {
      return;
    }
    try {
      instrumentation.retransformClasses(modifiable.toArray(new Class<?>[0]));
    } catch (Throwable oneOfThem) {
      for (Class<?> type : modifiable) {
        try {
          instrumentation.retransformClasses(type);
        } catch (Throwable t) {
          AgentLog.warn(
              type.getName() + " is left unchanged: this JVM does not change it (" + t + ")");
          forget(type);
          ledger.failed(type.getName(), "this JVM does not change it (" + t + ")");
        }
      }
    }
  }

  /** The loaded classes that are currently changed. */
  public List<Class<?>> changed() {
    List<Class<?>> found = new ArrayList<>();
    for (Class<?> type : instrumentation.getAllLoadedClasses()) {
      if (!type.isArray() && isChanged(type)) {
        found.add(type);
      }
    }
    return found;
  }

  /**
   * Restores every changed class, and ignores new ones from now on; returns the number of restored
   * classes. Logs each class that the JVM cannot restore.
   */
  public int reset() {
    ended = true;
    // The transformers are still registered but change nothing any more: without a listener, recent
    // JDKs would forget the original bytes and keep the agent's entries in constant pools.
    retransform(changed());
    int restored = changed().size();
    List<Remembered> all;
    synchronized (this) {
      all = List.copyOf(added);
      added.clear();
      changed.clear();
    }
    all.forEach(instrumentation::removeTransformer);
    all.forEach(Remembered::close);
    return restored;
  }

  private synchronized void forget(Class<?> type) {
    Set<String> names = changed.get(key(type.getClassLoader()));
    if (names != null) {
      names.remove(type.getName());
    }
  }

  private synchronized boolean isChanged(Class<?> type) {
    Set<String> names = changed.get(key(type.getClassLoader()));
    return names != null && names.contains(type.getName());
  }

  private synchronized void remember(@Nullable ClassLoader loader, String name) {
    Set<String> names = changed.get(key(loader));
    if (names == null) {
      names = new HashSet<>();
      changed.put(key(loader), names);
    }
    names.add(name.replace('/', '.'));
  }

  /**
   * It lives as long as its loader and, unlike the loader, has no equals method of the application.
   */
  private static Module key(@Nullable ClassLoader loader) {
    return loader == null ? Object.class.getModule() : loader.getUnnamedModule();
  }

  private final class Remembered implements ClassFileTransformer {

    private final ClassFileTransformer transformer;

    Remembered(ClassFileTransformer transformer) {
      this.transformer = transformer;
    }

    void close() {
      if (transformer instanceof AutoCloseable closeable) {
        try {
          closeable.close();
        } catch (Exception e) {
          AgentLog.warn("the agent could not be removed completely: " + e);
        }
      }
    }

    @Override
    public byte @Nullable [] transform(
        Module module,
        @Nullable ClassLoader loader,
        @Nullable String name,
        @Nullable Class<?> redefined,
        @Nullable ProtectionDomain domain,
        byte[] bytes)
        throws IllegalClassFormatException {
      if (ended) {
        return null;
      }
      byte[] now = transformer.transform(module, loader, name, redefined, domain, bytes);
      if (now != null && name != null) {
        remember(loader, name);
      }
      return now;
    }
  }
}
