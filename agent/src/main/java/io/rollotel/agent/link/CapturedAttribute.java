package io.rollotel.agent.link;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.span.TextLimit;
import io.rollotel.agent.span.WorkerCall;
import io.rollotel.agent.span.WorkerMethod;
import io.rollotel.agent.weave.WovenMethod.Argument;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An argument that becomes an attribute of its call's span: {@code @SpanAttribute}. */
final class CapturedAttribute {

  /** How many elements of a list or an array are kept; a batch is not an attribute. */
  private static final int MOST_ELEMENTS = 128;

  private static final MethodHandle SET;
  private static final MethodHandle SET_LONG;

  static {
    MethodHandles.Lookup here = MethodHandles.lookup();
    try {
      SET =
          here.findVirtual(
              CapturedAttribute.class,
              "set",
              MethodType.methodType(Object.class, Object.class, Object.class));
      SET_LONG =
          here.findVirtual(
              CapturedAttribute.class,
              "setLong",
              MethodType.methodType(Object.class, Object.class, long.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final String key;
  private final AttributeKey<String> stringKey;
  private final AttributeKey<Long> longKey;
  private final TextLimit limit;

  private CapturedAttribute(String key, TextLimit limit) {
    this.key = key;
    this.limit = limit;
    stringKey = AttributeKey.stringKey(key);
    longKey = AttributeKey.longKey(key);
  }

  /**
   * From a started call, or null, and the argument to the same call.
   *
   * @param type the argument's type in woven code
   */
  static MethodHandle setter(Argument argument, Class<?> type, WorkerMethod worker) {
    MethodType setter = MethodType.methodType(Object.class, Object.class, type);
    if (argument.key().isBlank()) {
      AgentLog.warnOnce("@SpanAttribute without a key is ignored in " + worker);
      return MethodHandles.dropArguments(MethodHandles.identity(Object.class), 1, type);
    }
    CapturedAttribute attribute = new CapturedAttribute(argument.key(), worker.textLimit());
    boolean integral =
        type == long.class || type == int.class || type == short.class || type == byte.class;
    return (integral ? SET_LONG : SET).bindTo(attribute).asType(setter);
  }

  @Nullable Object setLong(@Nullable Object call, long value) {
    Span span = spanOf(call);
    if (span != null) {
      span.setAttribute(longKey, value);
    }
    return call;
  }

  @Nullable Object set(@Nullable Object call, @Nullable Object value) {
    Span span = spanOf(call);
    if (span != null && value != null) {
      try {
        set(span, value);
      } catch (Throwable t) {
        TraceHook.failed(t);
      }
    }
    return call;
  }

  private static @Nullable Span spanOf(@Nullable Object call) {
    return call instanceof WorkerCall worker ? worker.recording() : null;
  }

  private void set(Span span, Object value) {
    Object one = simple(value);
    if (one instanceof String text) {
      span.setAttribute(stringKey, text);
    } else if (one instanceof Long number) {
      span.setAttribute(longKey, number);
    } else if (one instanceof Double number) {
      span.setAttribute(key, number);
    } else if (one instanceof Boolean truth) {
      span.setAttribute(key, truth);
    } else if (value instanceof List<?> list) {
      setList(span, elements(list));
    } else if (value.getClass().isArray()) {
      setList(span, elements(value));
    }
  }

  /** One of the four kinds of attribute; null for other types. */
  private @Nullable Object simple(@Nullable Object value) {
    if (value instanceof CharSequence text) {
      return limit.cut(text);
    }
    if (value instanceof Character) {
      return value.toString();
    }
    if (value instanceof Enum<?> constant) {
      return constant.name();
    }
    if (value instanceof Boolean) {
      return value;
    }
    if (value instanceof Long
        || value instanceof Integer
        || value instanceof Short
        || value instanceof Byte) {
      return ((Number) value).longValue();
    }
    return value instanceof Number number ? number.doubleValue() : null;
  }

  /** Uses the iterator and reads no further: a list may read its elements from a disk. */
  private List<Object> elements(List<?> list) {
    List<Object> elements = new ArrayList<>();
    int left = MOST_ELEMENTS;
    for (Iterator<?> all = list.iterator(); left > 0 && all.hasNext(); left--) {
      Object element = simple(all.next());
      if (element != null) {
        elements.add(element);
      }
    }
    return elements;
  }

  private List<Object> elements(Object array) {
    List<Object> elements = new ArrayList<>();
    int length = Math.min(Array.getLength(array), MOST_ELEMENTS);
    for (int i = 0; i < length; i++) {
      Object element = simple(Array.get(array, i));
      if (element != null) {
        elements.add(element);
      }
    }
    return elements;
  }

  /** Attributes are lists of one kind: whole numbers beside others become doubles. */
  @SuppressWarnings("unchecked") // each branch has checked the elements' type
  private void setList(Span span, List<Object> elements) {
    if (elements.isEmpty()) {
      return;
    }
    if (all(elements, String.class)) {
      span.setAttribute(AttributeKey.stringArrayKey(key), (List<String>) (List<?>) elements);
    } else if (all(elements, Long.class)) {
      span.setAttribute(AttributeKey.longArrayKey(key), (List<Long>) (List<?>) elements);
    } else if (all(elements, Boolean.class)) {
      span.setAttribute(AttributeKey.booleanArrayKey(key), (List<Boolean>) (List<?>) elements);
    } else if (all(elements, Number.class)) {
      span.setAttribute(
          AttributeKey.doubleArrayKey(key),
          elements.stream().map(number -> ((Number) number).doubleValue()).toList());
    }
  }

  private static boolean all(List<Object> elements, Class<?> type) {
    return elements.stream().allMatch(type::isInstance);
  }
}
