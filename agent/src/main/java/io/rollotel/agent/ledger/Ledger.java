package io.rollotel.agent.ledger;

import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.settings.Settings;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The state of this JVM's annotated methods and their spans. It holds names and numbers but no
 * classes or loaders, and a bounded number of them. A class that several loaders define counts as
 * one here. Any thread.
 */
public final class Ledger {

  /** The names of this many methods take a few megabytes. */
  private static final int MOST_METHODS = 20_000;

  private static final int MOST_CLASSES = 1_000;

  /** A reason that may hold for many classes: the first is named, the others are counted. */
  public static final String TOO_OLD = "compiled for Java 6 or older";

  /** As {@link #TOO_OLD}. */
  public static final String BLIND_LOADER = "its class loader does not see the agent";

  /** Warns of calls that are suppressed because their payload had no context. */
  static final String CURE =
      "put @Dispatch on the sender's method, or trace such calls as roots with"
          + " ROLL_OTEL_NO_CONTEXT=root";

  /** Why a method is woven. */
  public enum Use {
    /** {@code @Register(trace = true)}, or named by {@code ROLL_OTEL_METHODS}. */
    TRACE,
    /** {@code @Register} alone. */
    SUPPRESS,
    /** {@code @Dispatch}. */
    DISPATCH,
    /** {@code @Phase}. */
    PHASE
  }

  /** One method. */
  public static final class Entry {

    private final String className;
    private final String name;
    private final String descriptor;
    private final LongAdder withoutContext = new LongAdder();
    private volatile boolean woven;
    private volatile boolean traced;
    private volatile boolean suppressing;
    private volatile boolean called;
    private volatile @Nullable String failure;

    /** Not volatile: every call reads it, and it is always set to the same value. */
    private boolean recorded;

    Entry(String className, String name, String descriptor) {
      this.className = className;
      this.name = name;
      this.descriptor = descriptor;
    }

    /** As in the index; see docs/index-format.md. */
    public String key() {
      return Ledger.key(className, name, descriptor);
    }

    /** False if weaving failed, or if the class is left unchanged on purpose. */
    public boolean isWoven() {
      return woven && failure == null;
    }

    /** Whether it is woven to create no spans. */
    public boolean isSuppressing() {
      return suppressing;
    }

    /** Whether it was called at least once since it was woven. */
    public boolean isCalled() {
      return called;
    }

    /** Why it could not be woven; null if it was woven. */
    public @Nullable String failure() {
      return failure;
    }

    /** Calls that were suppressed because their payload had no context. */
    public long withoutContext() {
      return withoutContext.sum();
    }

    /** A call is suppressed because it has no context. */
    public void countWithoutContext() {
      withoutContext.increment();
    }

    /** Whether any call has created a span that is recorded. */
    public boolean isRecorded() {
      return recorded;
    }

    /** Notes that a call has created a span that is recorded. */
    public void setRecorded() {
      recorded = true;
    }
  }

  private final Map<String, Entry> methods = new ConcurrentHashMap<>();
  private final Map<String, String> failedClasses = new ConcurrentHashMap<>();
  private final Set<String> codeSources = ConcurrentHashMap.newKeySet();
  private final UnindexedClasses unindexed = new UnindexedClasses();

  // What LedgerLine puts into words.
  final LongAdder exported = new LongAdder();
  final LongAdder kept = new LongAdder();
  final LongAdder replayed = new LongAdder();
  final LongAdder refused = new LongAdder();
  final LongAdder rejected = new LongAdder();
  final LongAdder replayFailures = new LongAdder();
  final LongAdder dropped = new LongAdder();
  final LongAdder sampledOut = new LongAdder();
  final LongAdder thinnedOut = new LongAdder();
  final long failuresBefore = TraceHook.failures();
  volatile boolean others;
  volatile String destination = "";
  volatile String trouble = "";

  private volatile boolean begun;

  /** How the index, the weaver and this ledger name a method. */
  public static String key(String className, String name, String descriptor) {
    return className + '\t' + name + '\t' + descriptor;
  }

  /** A method is woven; called once for each use of it. */
  public void woven(String className, String name, String descriptor, Use use) {
    Entry entry = entry(className, name, descriptor);
    entry.failure = null;
    entry.traced |= use == Use.TRACE;
    entry.suppressing |= use == Use.SUPPRESS;
    entry.woven = true;
    begun = true;
  }

  /** A compiler's forwarder to a woven method. */
  public void leftAlone(String className, String name, String descriptor) {
    entry(className, name, descriptor);
  }

  /** A method that stays untraced. */
  public void failed(String className, String name, String descriptor, String reason) {
    entry(className, name, descriptor).failure = reason;
    begun = true;
  }

  /** A class whose methods cannot be woven. */
  public void failed(String className, String reason) {
    if (failedClasses.size() < MOST_CLASSES) {
      failedClasses.put(className, reason);
    }
    for (Entry entry : methods.values()) {
      if (entry.className.equals(className)) {
        entry.failure = reason;
      }
    }
  }

  /** A line for each reason for which more than one class stays untraced. */
  List<String> untracedClasses() {
    List<String> lines = new ArrayList<>();
    for (String reason : List.of(TOO_OLD, BLIND_LOADER)) {
      Set<String> classes = new HashSet<>();
      for (Entry entry : methods.values()) {
        if (reason.equals(entry.failure)) {
          classes.add(entry.className);
        }
      }
      if (classes.size() > 1) {
        // Methods beyond these are unknown.
        String atLeast = methods.size() < MOST_METHODS ? "" : "at least ";
        lines.add(atLeast + number(classes.size()) + " classes stay untraced: " + reason);
      }
    }
    return lines;
  }

  /** Whether there was a class with a method to weave, woven or not. */
  public boolean isBegun() {
    return begun;
  }

  /** The origin of a woven class. */
  public void codeSource(String location) {
    if (codeSources.size() < MOST_CLASSES) {
      codeSources.add(location);
    }
  }

  /** The first call of a method. */
  public void called(String className, String name, String descriptor) {
    entry(className, name, descriptor).called = true;
    unindexed.findSoon();
  }

  /** The known facts about a method. */
  public Entry entry(String className, String name, String descriptor) {
    String key = key(className, name, descriptor);
    Entry known = methods.get(key);
    if (known == null) {
      Entry made = new Entry(className, name, descriptor);
      known = methods.size() < MOST_METHODS ? methods.putIfAbsent(key, made) : made;
      known = known == null ? made : known;
    }
    return known;
  }

  public Collection<Entry> methods() {
    return methods.values();
  }

  /** The method with this name in the index, if its class was seen. */
  public @Nullable Entry method(String key) {
    return methods.get(key);
  }

  /** Classes in which no method could be woven, with the reason. */
  public Map<String, String> failedClasses() {
    return failedClasses;
  }

  /** The places, as URLs, that woven classes came from. */
  public Set<String> codeSources() {
    return codeSources;
  }

  public UnindexedClasses unindexed() {
    return unindexed;
  }

  /** Spans that the exporters took. */
  public void exported(int spans) {
    exported.add(spans);
  }

  /** Spans that went to the process's own file. */
  public void kept(int spans) {
    kept.add(spans);
  }

  /** Spans of own files, of this process or of earlier ones, were accepted in the end. */
  public void replayed(int spans) {
    replayed.add(spans);
  }

  /** How many spans the exporters have taken so far. */
  public long exportedSpans() {
    return exported.sum();
  }

  /** Spans of own files were refused for good, and are kept beside them. */
  public void refused(int spans) {
    refused.add(spans);
  }

  /** Spans that an endpoint refused although it accepted their request; they are lost. */
  public void rejected(long spans) {
    rejected.add(spans);
  }

  /** Sending own files has failed for a local reason; it continues. */
  public void replayFailed() {
    replayFailures.increment();
  }

  /** Spans without room in the queue or in the process's own file. */
  public void dropped(int spans) {
    dropped.add(spans);
  }

  /** A span that the sampler, or the sender's sampler, dropped. */
  public void sampledOut() {
    sampledOut.increment();
  }

  /** A trace that would have begun here is dropped, to keep the run's files small enough. */
  public void thinnedOut() {
    thinnedOut.increment();
  }

  /** The destination of spans. */
  public void destination(String newDestination) {
    destination = newDestination;
  }

  /** The last problem with exporting spans. */
  public void trouble(String newTrouble) {
    trouble = newTrouble;
  }

  /** Spans go through a foreign SDK, whose exporters are unknown. */
  public void throughOthers() {
    others = true;
  }

  /** {@code 1,234}, whatever the locale. */
  public static String number(long count) {
    String digits = Long.toString(count);
    StringBuilder text = new StringBuilder(digits);
    for (int i = digits.length() - 3; i > 0; i -= 3) {
      text.insert(i, ',');
    }
    return text.toString();
  }

  /** Whether this process has produced no span, as far as the agent knows. */
  public boolean isWithoutSpans() {
    return exported.sum() == 0 && !(others && anyRecorded());
  }

  /** Whether traced methods were called, but none has created a span. */
  boolean isSilent() {
    boolean called = false;
    for (Entry entry : methods.values()) {
      if (entry.recorded) {
        return false;
      }
      called |= entry.traced && entry.called;
    }
    return called && exported.sum() + kept.sum() + dropped.sum() == 0;
  }

  private boolean anyRecorded() {
    return methods.values().stream().anyMatch(entry -> entry.recorded);
  }

  /** What became of the spans, in one line. */
  public String spans() {
    return LedgerLine.spans(this);
  }

  /** The most likely reason for having no spans, in one line. */
  public String view(Settings settings) {
    return LedgerLine.view(this, settings);
  }
}
