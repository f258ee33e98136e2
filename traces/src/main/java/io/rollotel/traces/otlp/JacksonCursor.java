package io.rollotel.traces.otlp;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.CharConversionException;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.core.json.JsonFactory;

/** Reads any JSON, of any length, with Jackson, whose exceptions pass through. */
final class JacksonCursor extends JsonCursor {

  /** How Jackson begins its message on zeros that no encoding explains: the stream can be read. */
  private static final String WEIRD_ENCODING = "Unsupported UCS-4";

  static final JsonFactory JSON =
      JsonFactory.builder()
          .disable(StreamReadFeature.AUTO_CLOSE_SOURCE) // the rest of the file follows
          .streamReadConstraints(
              StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
          .build();

  private static final int LONG_CHARS = 64 << 10;

  private final JsonParser json;

  JacksonCursor(JsonParser json) {
    this.json = json;
  }

  /**
   * The file's failure, unless the line is to blame: Jackson guesses an encoding from the first
   * bytes, and a disk that lost its power leaves zeros.
   *
   * @throws UnreadableLineException if the bytes are of no known encoding
   */
  static IOException failure(JacksonIOException e) throws UnreadableLineException {
    IOException cause = Objects.requireNonNull(e.getCause());
    boolean isWeird = String.valueOf(cause.getMessage()).startsWith(WEIRD_ENCODING);
    if (isWeird || cause instanceof CharConversionException) {
      throw new UnreadableLineException(e.getOriginalMessage());
    }
    return cause;
  }

  boolean isNull() {
    return json.currentToken() == JsonToken.VALUE_NULL;
  }

  @Override
  void skip() {
    json.skipChildren();
  }

  @Override
  String text(String name) throws UnreadableLineException {
    JsonToken token = json.currentToken();
    if (token == null || !token.isScalarValue()) {
      throw new UnreadableLineException(name + " is not a scalar");
    }
    return token == JsonToken.VALUE_NULL ? "" : json.getString();
  }

  /**
   * Appends the scalar under the key to a message as {@link #text}, in UTF-8. A long one is passed
   * on in the parser's pieces, and never held as a whole.
   */
  void text(String name, WireBuffer wire, int number) throws UnreadableLineException {
    if (json.currentToken() != JsonToken.VALUE_STRING || json.getStringLength() < LONG_CHARS) {
      wire.bytes(number, text(name).getBytes(UTF_8));
      return;
    }
    int start = wire.beginMessage(number);
    try (Writer writer = new OutputStreamWriter(wire.appending(), UTF_8)) {
      json.getString(writer);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // cannot fail: it is in memory
    }
    wire.endMessage(start);
  }

  @Override
  @Nullable String nextKey() {
    String key = json.nextName();
    if (key != null) {
      json.nextToken();
    }
    return key;
  }

  @Override
  boolean entersObject(String name) throws UnreadableLineException {
    return enters(name, JsonToken.START_OBJECT, "an object");
  }

  @Override
  boolean entersArray(String name) throws UnreadableLineException {
    return enters(name, JsonToken.START_ARRAY, "an array") && hasNext();
  }

  private boolean enters(String name, JsonToken start, String what) throws UnreadableLineException {
    JsonToken token = json.currentToken();
    if (token != start && token != JsonToken.VALUE_NULL) {
      throw new UnreadableLineException(name + " is not " + what);
    }
    return token == start;
  }

  @Override
  boolean hasNext() {
    return json.nextToken() != JsonToken.END_ARRAY;
  }
}
