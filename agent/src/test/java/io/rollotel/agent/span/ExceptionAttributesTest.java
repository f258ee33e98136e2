package io.rollotel.agent.span;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.sdk.internal.ExceptionAttributeResolver.AttributeSetter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Exceptions of the application, which may do anything. */
class ExceptionAttributesTest {

  private static final String TYPE = "exception.type";
  private static final String MESSAGE = "exception.message";
  private static final String TRACE = "exception.stacktrace";

  private final ExceptionAttributes exceptions = new ExceptionAttributes();

  private Map<String, String> of(Throwable thrown) {
    Map<String, String> all = new LinkedHashMap<>();
    exceptions.setExceptionAttributes(setter(all), thrown, Integer.MAX_VALUE);
    return all;
  }

  private static AttributeSetter setter(Map<String, String> all) {
    return new AttributeSetter() {
      @Override
      public <T> void setAttribute(AttributeKey<T> key, T value) {
        all.put(key.getKey(), (String) value);
      }
    };
  }

  private static String printed(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text, true));
    return text.toString();
  }

  private static Throwable atDepth(int depth) {
    if (depth > 0) {
      return atDepth(depth - 1);
    }
    Throwable thrown =
        new IllegalStateException("no luck", new RuntimeException(new Exception("at all")));
    thrown.addSuppressed(new Exception("close"));
    return thrown;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 100})
  void usualException_isToldWholeAsTheJvmPrintsIt(int depth) {
    Throwable thrown = atDepth(depth);
    assertThat(of(thrown))
        .containsEntry(TYPE, "java.lang.IllegalStateException")
        .containsEntry(MESSAGE, "no luck")
        .containsEntry(TRACE, printed(thrown));
  }

  @Test
  void exceptionThatPassesManyFrames_isPrintedOnce() {
    Throwable thrown = new StackOverflowError("deep");
    assertThat(of(thrown)).containsOnlyKeys(TYPE, MESSAGE, TRACE);
    for (int i = 0; i < 10; i++) {
      assertThat(of(thrown))
          .isEqualTo(Map.of(TYPE, "java.lang.StackOverflowError", MESSAGE, "deep"));
    }
    assertThat(of(new StackOverflowError("deep"))).as("another").containsKey(TRACE);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 100, 32_768})
  void largeException_isCutWithRoomForItsFrames(int longest) {
    exceptions.setLongest(longest);
    Map<String, String> all = of(new IllegalStateException("x".repeat(12 << 20)));
    assertThat(all.get(MESSAGE)).isEqualTo("x".repeat(longest));
    assertThat(all.get(TRACE)).hasSizeLessThanOrEqualTo(longest);
    if (longest > 10_000) {
      assertThat(all.get(TRACE))
          .startsWith("java.lang.IllegalStateException: xxx")
          .contains("at " + getClass().getName() + ".largeException");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "10, 100000, 32768, true",
    "10, 100000, 100, false", // the trace
    "10, 100, 32768, true", // the trace, by the SDK's limit
    "20000, 100000, 32768, false", // the message within the trace
    "40000, 100000, 32768, false",
    "40000, 100, 32768, false",
  })
  void exceptionOfWhichTooMuchIsCut_isNotSmall(
      int message, int longestAttribute, int longest, boolean isSmall) {
    exceptions.setLongest(longest);
    assertThat(
            exceptions.set(
                setter(new HashMap<>()), new Exception("x".repeat(message)), longestAttribute))
        .isEqualTo(isSmall);
  }

  @Test
  void cutThroughASurrogatePair_leavesNoHalf() {
    exceptions.setLongest(3);
    assertThat(of(new Exception("xx\uD83D\uDE00"))).containsEntry(MESSAGE, "xx");
  }

  /** Each time another. */
  private static final class EndlessCause extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public synchronized Throwable getCause() {
      return new EndlessCause();
    }
  }

  @Test
  void causesWithoutAnEnd_areCut() {
    assertThat(of(new EndlessCause()).get(TRACE))
        .contains("Caused by: ")
        .hasSizeBetween(32_000, 32_768);
  }

  @Test
  void exceptionThatIsItsOwnCause_isToldAsTheJvmPrintsIt() {
    Exception first = new Exception("first");
    Exception second = new Exception("second", first);
    first.initCause(second);
    assertThat(of(first)).containsEntry(TRACE, printed(first));
  }

  @Test
  void messageThatCallsWhatThrowsIt_isAskedOnce() {
    List<Map<String, String>> inside = new ArrayList<>();
    Throwable thrown =
        new RuntimeException() {
          private static final long serialVersionUID = 1;

          @Override
          public String getMessage() {
            inside.add(of(this)); // as traced code does that throws it
            return "message";
          }
        };
    assertThat(of(thrown)).containsEntry(MESSAGE, "message").containsKey(TRACE);
    assertThat(inside).isNotEmpty().allSatisfy(all -> assertThat(all).containsOnlyKeys(TYPE));
  }

  @Test
  void messageThatThrows_leavesTheTypeAndTheNextExceptionWhole() {
    Throwable hostile =
        new RuntimeException() {
          private static final long serialVersionUID = 1;

          @Override
          public String getMessage() {
            throw new StackOverflowError();
          }
        };
    assertThat(of(hostile)).isEqualTo(Map.of(TYPE, hostile.getClass().getName()));
    assertThat(of(new Exception("next"))).containsOnlyKeys(TYPE, MESSAGE, TRACE);
  }

  @Test
  void spanOfAnotherSdk_isGivenTheSame() {
    List<Object> told = new ArrayList<>();
    Span another =
        (Span)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Span.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("isRecording")) {
                    return true;
                  }
                  told.add(method.getName());
                  told.add(arguments[0]);
                  told.addAll(((Attributes) arguments[1]).asMap().keySet());
                  return proxy;
                });
    Throwable thrown = new Exception("passes");
    exceptions.record(another, thrown);
    exceptions.record(another, thrown);
    AttributeKey<String> type = AttributeKey.stringKey(TYPE);
    AttributeKey<String> message = AttributeKey.stringKey(MESSAGE);
    assertThat(told).hasSize(9).startsWith("addEvent", "exception");
    assertThat(told.subList(5, 9))
        .containsExactlyInAnyOrder("addEvent", "exception", type, message);
  }
}
