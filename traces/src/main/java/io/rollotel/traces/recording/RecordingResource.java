package io.rollotel.traces.recording;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.otlp.Resource;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** A resource's attributes in the header of a recorder file. */
public final class RecordingResource {

  private RecordingResource() {}

  /**
   * The attributes as bytes, as far as there is room.
   *
   * @param attributes the most important first; Boolean, Long, Double, others as text
   */
  public static byte[] write(Map<String, Object> attributes) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (Map.Entry<String, Object> attribute : attributes.entrySet()) {
      byte[] one = write(attribute.getKey(), attribute.getValue());
      if (all.size() + one.length <= RecordingLayout.RESOURCE_MOST_BYTES) {
        all.write(one, 0, one.length);
      }
    }
    return all.toByteArray();
  }

  private static byte[] write(String key, Object value) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      text(out, key);
      if (value instanceof Boolean is) {
        out.writeByte('b');
        out.writeBoolean(is);
      } else if (value instanceof Long integer) {
        out.writeByte('l');
        out.writeLong(integer);
      } else if (value instanceof Double number) {
        out.writeByte('d');
        out.writeDouble(number);
      } else {
        out.writeByte('s');
        text(out, value.toString());
      }
    } catch (IOException inMemory) {
      throw new IllegalStateException(inMemory);
    }
    return bytes.toByteArray();
  }

  private static void text(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  /** The readable part of what {@link #write} has written. */
  static Resource read(byte[] bytes) {
    Map<String, Object> attributes = new LinkedHashMap<>();
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      while (in.available() > 0) {
        String key = text(in);
        attributes.put(
            key,
            switch (in.readByte()) {
              case 'b' -> in.readBoolean();
              case 'l' -> in.readLong();
              case 'd' -> in.readDouble();
              default -> text(in);
            });
      }
    } catch (IOException cutOff) {
      // the part read so far
    }
    return new Resource(Map.copyOf(attributes));
  }

  private static String text(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > in.available()) {
      throw new IOException("cut off");
    }
    return new String(in.readNBytes(length), UTF_8);
  }
}
