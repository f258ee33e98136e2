package io.rollotel.agent.ledger;

import io.rollotel.agent.background.AgentThreads;
import io.rollotel.agent.log.AgentLog;
import java.lang.ref.WeakReference;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Annotated classes for which the processor has written no index. Calling their loader runs the
 * application's code. So this never happens during class loading, and only on a thread that nothing
 * waits for, except, for a short time, the JVM's exit.
 */
public final class UnindexedClasses {

  /** Where the processor writes; see docs/index-format.md. */
  public static final String FOLDER = "META-INF/roll-otel/";

  private static final int MOST_WAITING = 5_000;

  /** Compilers do not pass these to annotation processors. */
  private static final class Names {
    static final Pattern LOCAL_OR_ANONYMOUS = Pattern.compile("[$][0-9]");
  }

  private record Woven(WeakReference<ClassLoader> loader, String className) {}

  private final ConcurrentLinkedQueue<Woven> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waitingCount = new AtomicInteger();
  private final AtomicBoolean underWay = new AtomicBoolean();
  private final ReentrantLock searching = new ReentrantLock();
  private final Set<String> found = ConcurrentHashMap.newKeySet();
  private volatile @Nullable String first;

  /** An annotated class has been woven; its index is looked up later. */
  public void woven(ClassLoader loader, String className) {
    if (waitingCount.get() < MOST_WAITING) {
      waitingCount.incrementAndGet();
      waiting.add(new Woven(new WeakReference<>(loader), className));
    }
  }

  /** Looks on another thread. */
  void findSoon() {
    if (!waiting.isEmpty() && underWay.compareAndSet(false, true)) {
      try {
        AgentThreads.passing().execute(() -> find(0));
      } catch (Throwable noThreadLeft) {
        // The application's call continues; the check is repeated when the JVM ends.
      }
    }
  }

  /** Looks now; returns after this time at most if another thread is already looking. */
  void find(long patienceMillis) {
    try {
      if (!searching.tryLock(patienceMillis, TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    try {
      underWay.set(false);
      for (Woven next = waiting.poll(); next != null; next = waiting.poll()) {
        waitingCount.decrementAndGet();
        ClassLoader loader = next.loader.get();
        if (loader != null && !hasIndex(loader, next.className)) {
          add(next.className);
        }
      }
    } finally {
      searching.unlock();
    }
  }

  private void add(String className) {
    // The same class may be woven again: after a retransformation, or in another loader.
    if (found.size() < MOST_WAITING && found.add(className) && first == null) {
      first = className;
      AgentLog.warn(
          className
              + " is traced, but was compiled without roll-otel's annotation processor: its"
              + " annotations were not checked (name it in annotationProcessorPaths: JDK 23 and"
              + " later do not look for it on the class path, and maven-compiler-plugin before 3.5,"
              + " Maven 3's own"
              + " default, ignores these paths)");
    }
  }

  private static boolean hasIndex(ClassLoader loader, String className) {
    if (Names.LOCAL_OR_ANONYMOUS.matcher(className).find()) {
      return true;
    }
    try {
      // A dollar may belong to the name of the top-level class.
      for (String name = className; ; name = name.substring(0, name.lastIndexOf('$'))) {
        if (loader.getResource(FOLDER + name + ".idx") != null) {
          return true;
        }
        if (name.lastIndexOf('$') <= 0) {
          // A closed URLClassLoader finds nothing, not even the class.
          return loader.getResource(className.replace('.', '/') + ".class") == null;
        }
      }
    } catch (RuntimeException | LinkageError itsLoaderIsClosed) {
      return true;
    }
  }

  /** How many of the classes checked so far have none. */
  public int count() {
    return found.size();
  }

  /** The first of them. */
  public @Nullable String first() {
    return first;
  }
}
