package io.rollotel.traces.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.util.List;
import java.util.stream.Collectors;

/** Collapsed stacks for flame graph tools: frames and microseconds, one stack per line. */
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
