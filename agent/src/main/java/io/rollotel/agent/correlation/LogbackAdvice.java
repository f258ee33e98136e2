package io.rollotel.agent.correlation;

import io.rollotel.agent.hook.LogHook;
import java.util.Map;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/**
 * Inlined into Logback's {@code LoggingEvent.getMDCPropertyMap}: with the first question, which
 * comes on the thread that logs or from what prepares the event for another, the event has the
 * current span's ids for good.
 */
final class LogbackAdvice {

  private LogbackAdvice() {}

  @Advice.OnMethodEnter(suppress = Throwable.class)
  static boolean start(
      @Advice.FieldValue("mdcPropertyMap") @Nullable Map<String, String> answered) {
    return answered == null;
  }

  @SuppressWarnings({"ParameterName", "UnusedVariable"}) // written for Byte Buddy
  @Advice.OnMethodExit(suppress = Throwable.class)
  static void end(
      @Advice.Enter boolean first,
      @Advice.FieldValue(value = "mdcPropertyMap", readOnly = false)
          @Nullable Map<String, String> answered,
      @Advice.Return(readOnly = false) Map<String, String> returned) {
    if (first) {
      Map<String, String> all = LogHook.withTrace(returned);
      answered = all;
      returned = all;
    }
  }
}
