package io.rollotel.traces.kit;

import io.rollotel.traces.file.TracesWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;

/** Traces files as a test plants them. */
public final class PlantedFile {

  private PlantedFile() {}

  /** Appends requests to a traces file, and makes its folder where there is none. */
  public static Path write(Path file, byte[]... requests) throws Exception {
    Files.createDirectories(file.toAbsolutePath().getParent());
    try (TracesWriter writer = TracesWriter.open(file.toFile())) {
      for (byte[] request : requests) {
        writer.write(request, 0, request.length);
      }
    }
    return file;
  }

  /** The content, compressed. */
  public static byte[] gzip(byte[] content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      out.write(content);
    }
    return bytes.toByteArray();
  }
}
