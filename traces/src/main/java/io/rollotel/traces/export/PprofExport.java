package io.rollotel.traces.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.profile.Frame;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/**
 * The format of pprof: <a
 * href="https://github.com/google/pprof/blob/main/proto/profile.proto">profile.proto</a>, gzipped.
 * Each method is a function, and each of its lines a location.
 */
final class PprofExport {

  private static final int SAMPLE_TYPE = 1;
  private static final int SAMPLE = 2;
  private static final int LOCATION = 4;
  private static final int FUNCTION = 5;
  private static final int STRING = 6;
  private static final int TIME_NANOS = 9;

  private static final int BYTES = 2;

  /** By text; the first one is empty, as the format requires. */
  private final Map<String, Integer> texts = new LinkedHashMap<>();

  private final Map<String, Integer> functions = new LinkedHashMap<>();

  private final Map<Frame, Integer> locations = new LinkedHashMap<>();

  PprofExport() {
    text("");
  }

  void write(List<ProfiledStack> stacks, long startEpochNanos, OutputStream out)
      throws IOException {
    ByteArrayOutputStream profile = new ByteArrayOutputStream();
    message(profile, SAMPLE_TYPE, type -> fields(type, text("time"), text("nanoseconds")));
    for (ProfiledStack stack : stacks) {
      message(profile, SAMPLE, sample -> sample(sample, stack));
    }
    locations.forEach(
        (frame, id) -> message(profile, LOCATION, location -> fields(location, id, frame)));
    functions.forEach(
        (name, id) -> message(profile, FUNCTION, function -> fields(function, id, text(name))));
    texts
        .keySet()
        .forEach(text -> message(profile, STRING, bytes -> bytes.writeBytes(text.getBytes(UTF_8))));
    number(profile, TIME_NANOS, startEpochNanos);
    try (GZIPOutputStream gzip = new GZIPOutputStream(new NotClosed(out))) {
      profile.writeTo(gzip);
    }
  }

  private void sample(ByteArrayOutputStream sample, ProfiledStack stack) {
    // The innermost first.
    for (int i = stack.frames().size() - 1; i >= 0; i--) {
      number(sample, 1, location(stack.frames().get(i)));
    }
    number(sample, 2, stack.nanos());
  }

  private int text(String text) {
    return texts.computeIfAbsent(text, none -> texts.size());
  }

  private void fields(ByteArrayOutputStream location, int id, Frame frame) {
    number(location, 1, id);
    message(
        location,
        4,
        line -> {
          number(line, 1, function(frame.method()));
          if (frame.line() > 0) {
            number(line, 2, frame.line());
          }
        });
  }

  private int location(Frame frame) {
    function(frame.method()); // all texts must be known before they are written
    return locations.computeIfAbsent(frame, none -> locations.size() + 1);
  }

  private int function(String name) {
    text(name);
    return functions.computeIfAbsent(name, none -> functions.size() + 1);
  }

  /** The first two fields, both numbers. */
  private static void fields(ByteArrayOutputStream out, long first, long second) {
    number(out, 1, first);
    number(out, 2, second);
  }

  private interface Content {
    void write(ByteArrayOutputStream out);
  }

  private static void message(ByteArrayOutputStream out, int field, Content content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    content.write(bytes);
    varint(out, (long) field << 3 | BYTES);
    varint(out, bytes.size());
    out.writeBytes(bytes.toByteArray());
  }

  private static void number(ByteArrayOutputStream out, int field, long value) {
    varint(out, (long) field << 3);
    varint(out, value);
  }

  private static void varint(ByteArrayOutputStream out, long value) {
    long left = value;
    while ((left & ~0x7fL) != 0) {
      out.write((int) ((left & 0x7f) | 0x80));
      left >>>= 7;
    }
    out.write((int) left);
  }

  /** The caller that opened the stream closes it. */
  private static final class NotClosed extends FilterOutputStream {

    NotClosed(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      flush();
    }
  }
}
