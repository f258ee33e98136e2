package io.rollotel.agent.span;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.internal.ExceptionAttributeResolver;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.rollotel.agent.background.StackRoom;
import io.rollotel.agent.hook.TraceHook;
import java.io.PrintWriter;
import java.io.Writer;
import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of an exception: its type, its message and, the first time it is recorded, its
 * stack trace. Otherwise an exception that passes through a thousand traced frames would be printed
 * a thousand times. Message and stack trace are cut: an application's exception may print without
 * end. Any thread.
 */
public final class ExceptionAttributes implements ExceptionAttributeResolver {

  /** At most this many exceptions are remembered. A forgotten one is printed again. */
  private static final int PLACES = 256;

  /** Stack frames that must be free before a StackOverflowError is printed. */
  private static final int FRAMES_TO_PRINT = 256;

  /**
   * Whether this thread is printing an exception. An array, because writing to it takes no call: at
   * the end of the stack there may be no room for one.
   */
  private static final ThreadLocal<boolean[]> PRINTING = new ThreadLocal<>();

  private final AtomicReferenceArray<@Nullable WeakReference<Throwable>> printed =
      new AtomicReferenceArray<>(PLACES);

  private volatile int longest = 32_768;

  /** How many characters of a message, and of a stack trace, are kept. */
  public void setLongest(int characters) {
    longest = characters;
  }

  /** Makes the span an error and records the exception. The span may be of another SDK. */
  void fail(Span span, Throwable thrown) {
    if (span.isRecording()) {
      span.setStatus(StatusCode.ERROR, description(thrown));
      record(span, thrown);
    }
  }

  /** {@code Type: message}, as Python's SDK writes it. */
  private String description(Throwable thrown) {
    String name = thrown.getClass().getName();
    String type = name.substring(name.lastIndexOf('.') + 1);
    String inner = type.substring(type.lastIndexOf('$') + 1);
    if (!inner.isEmpty() && !Character.isDigit(inner.charAt(0))) {
      type = inner;
    }
    String message = messageOf(thrown);
    return TextLimit.cut(message == null ? type : type + ": " + message, longest);
  }

  /** Null also if the exception's own method throws. */
  private @Nullable String messageOf(Throwable thrown) {
    boolean[] isPrinting = printing();
    if (isPrinting[0]) {
      return null;
    }
    isPrinting[0] = true;
    try {
      String message = thrown.getMessage();
      return message == null ? null : TextLimit.cut(message, longest);
    } catch (Throwable t) {
      TraceHook.passOnStop(t);
      return null; // reported when the exception is recorded
    } finally {
      isPrinting[0] = false;
    }
  }

  private static boolean[] printing() {
    boolean[] isPrinting = PRINTING.get();
    if (isPrinting == null) {
      isPrinting = new boolean[1];
      PRINTING.set(isPrinting);
    }
    return isPrinting;
  }

  /** Adds the exception to the span as an event. The span may be of another SDK. */
  void record(Span span, Throwable thrown) {
    if (span instanceof ReadWriteSpan) {
      span.recordException(thrown); // the agent's SDK uses this class
    } else if (span.isRecording()) {
      AttributesBuilder all = Attributes.builder();
      setExceptionAttributes(
          new AttributeSetter() {
            @Override
            public <T> void setAttribute(AttributeKey<T> key, T value) {
              all.put(key, value);
            }
          },
          thrown,
          Integer.MAX_VALUE);
      span.addEvent("exception", all.build());
    }
  }

  /** Leaves out the message or the stack trace if the exception's own methods throw. */
  @Override
  public void setExceptionAttributes(
      AttributeSetter attributes, Throwable thrown, int longestAttribute) {
    set(attributes, thrown, longestAttribute);
  }

  /**
   * As {@link #setExceptionAttributes}.
   *
   * @return whether the exception is small, so that an event may keep it, as those of the SDK do:
   *     its texts are no longer than {@link #setLongest} allows. Where the SDK's own limit is
   *     lower, only the message is measured
   */
  boolean set(AttributeSetter attributes, Throwable thrown, int longestAttribute) {
    attributes.setAttribute(EXCEPTION_TYPE, typeOf(thrown));
    boolean[] isPrinting = printing();
    if (isPrinting[0]) {
      return false; // its message may call the method that throws it, and so on without an end
    }
    isPrinting[0] = true;
    try {
      return print(attributes, thrown, Math.min(longest, longestAttribute));
    } catch (Throwable t) {
      // The exception's own getMessage or printStackTrace threw; the type is kept.
      if (!(t instanceof StackOverflowError)) {
        TraceHook.failed(t);
      }
      return false;
    } finally {
      isPrinting[0] = false;
    }
  }

  static String typeOf(Throwable thrown) {
    Class<?> type = thrown.getClass();
    try {
      String canonical = type.getCanonicalName();
      return canonical == null ? type.getName() : canonical;
    } catch (LinkageError outerClassIsMissing) {
      return type.getName();
    }
  }

  /** Returns whether the exception is small. */
  private boolean print(AttributeSetter attributes, Throwable thrown, int most) {
    String message = thrown.getMessage();
    if (message != null) {
      attributes.setAttribute(EXCEPTION_MESSAGE, TextLimit.cut(message, most));
    }
    boolean isSmall = message == null || message.length() <= longest;
    int place = System.identityHashCode(thrown) & (PLACES - 1);
    WeakReference<Throwable> known = printed.get(place);
    if (known != null && known.refersTo(thrown)) {
      return isSmall;
    }
    if (thrown instanceof StackOverflowError) {
      // An innermost span might print the trace and then have no stack left to end, and the trace
      // would be lost with it.
      StackRoom.require(FRAMES_TO_PRINT);
    }
    CutText text = new CutText(most);
    try (PrintWriter printer = new PrintWriter(text)) {
      thrown.printStackTrace(printer);
    } catch (Full enough) {
      // The text keeps the part printed so far.
    }
    attributes.setAttribute(EXCEPTION_STACKTRACE, text.toString());
    // Only now, because an outer frame prints the trace if the stack had no room for it here.
    printed.set(place, new WeakReference<>(thrown));
    return isSmall && (!text.isCut || most < longest);
  }

  /**
   * Keeps this many characters, then throws {@link Full} to stop the printing, which might never
   * stop by itself.
   */
  private static final class CutText extends Writer {

    private final int most;
    private final StringBuilder text = new StringBuilder();
    private boolean isCut;

    CutText(int most) {
      this.most = most;
    }

    /** Keeps at most half the limit of one text, usually the message, so that stack frames fit. */
    @Override
    public void write(String given, int from, int length) {
      append(given.substring(from, from + Math.min(length, most / 2)), length > most / 2);
    }

    @Override
    public void write(char[] given, int from, int length) {
      append(new String(given, from, Math.min(length, most / 2)), length > most / 2);
    }

    private void append(String given, boolean isShortened) {
      if (text.length() > most) {
        throw new Full(); // again: the exception's own code may have caught the last one
      }
      text.append(given);
      if (isShortened) {
        text.append(" …");
      }
      isCut |= isShortened || text.length() > most;
      if (text.length() > most) {
        throw new Full();
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}

    @Override
    public String toString() {
      return TextLimit.cut(text, most);
    }
  }

  private static final class Full extends RuntimeException {

    private static final long serialVersionUID = 1;

    Full() {
      super(null, null, false, false);
    }
  }
}
