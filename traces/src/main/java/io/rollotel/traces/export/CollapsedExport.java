package io.rollotel.traces.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.util.List;
import java.util.stream.Collectors;

/** Collapsed stacks, as flame graph tools read them: frames and microseconds, a line each. */
final class CollapsedExport {

  private CollapsedExport() {}

  static void write(List<ProfiledStack> stacks, OutputStream out) throws IOException {
    Writer writer = new OutputStreamWriter(out, UTF_8);
    for (ProfiledStack stack : ProfiledStack.byMethod(stacks)) {
      long micros = Math.round(stack.nanos() / 1e3);
      if (micros > 0) {
        writer
            .append(
                stack.frames().stream()
                    .map(frame -> frame.method().replaceAll("[;\\p{Cntrl}]", "_"))
                    .collect(Collectors.joining(";")))
            .append(' ')
            .append(Long.toString(micros))
            .append('\n');
      }
    }
    writer.flush();
  }
}
