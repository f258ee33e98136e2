package io.rollotel.spark;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * Objects as bytes that Spark only carries: whatever its own serializer is, this is Java's. Names
 * of classes and fields make up most of a small one, so it is compressed.
 */
final class Serial {

  private Serial() {}

  static byte[] bytes(Object object) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Deflater fast = new Deflater(Deflater.BEST_SPEED);
    try (ObjectOutputStream out =
        new ObjectOutputStream(new DeflaterOutputStream(bytes, fast, 64 << 10))) {
      out.writeObject(object);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      fast.end();
    }
    return bytes.toByteArray();
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // as it was written
  static <T> T object(byte[] bytes) {
    try (ObjectInputStream in =
        new ObjectInputStream(new InflaterInputStream(new ByteArrayInputStream(bytes)))) {
      return (T) in.readObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }
}
