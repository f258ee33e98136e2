package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.file.FileRules;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client that opens streams and resets them at once, again and again (CVE-2023-44487). */
@Timeout(600)
class RapidResetTest {

  private static final int STREAMS = 210;

  private static final int HEADERS = 1;
  private static final int RESET = 3;
  private static final int SETTINGS = 4;
  private static final int GOAWAY = 7;
  private static final int ENHANCE_YOUR_CALM = 11;

  @TempDir Path dir;

  @Test
  void streamsResetAgainAndAgain_endTheConnection() throws Exception {
    CollectorSettings usual = CollectorSettings.ofDriver();
    CollectorSettings settings =
        new CollectorSettings(
            CollectorSettings.Kind.EMBEDDED,
            InetAddress.getLoopbackAddress(),
            0,
            0,
            null,
            usual.limits(),
            FileRules.DEFAULT,
            usual.page());
    try (EmbeddedCollector collector =
            EmbeddedCollector.start(dir.toFile(), "", settings, line -> {});
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), collector.grpcPort())) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
      frame(out, SETTINGS, 0, 0, new byte[0]);
      frame(out, SETTINGS, 1, 0, new byte[0]); // acknowledges the server's
      // Method, scheme and path of HPACK's static table: POST, http, /.
      byte[] headers = {(byte) 0x83, (byte) 0x86, (byte) 0x84};
      // Little more than is let through, so that the server reads it at once: a connection that is
      // closed with bytes unread is reset, and its last frame may be lost.
      for (int stream = 1; stream < 2 * STREAMS; stream += 2) {
        frame(out, HEADERS, 4, stream, headers);
        frame(out, RESET, 0, stream, new byte[] {0, 0, 0, 8});
      }
      socket.getOutputStream().write(out.toByteArray());
      DataInputStream in = new DataInputStream(socket.getInputStream());
      assertThat(errorOfGoaway(in)).isEqualTo(ENHANCE_YOUR_CALM);
    }
  }

  private static int errorOfGoaway(DataInputStream in) throws Exception {
    while (true) {
      int length;
      try {
        length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
      } catch (EOFException e) {
        throw new AssertionError("closed without GOAWAY", e);
      }
      int type = in.readUnsignedByte();
      in.skipNBytes(5);
      byte[] payload = in.readNBytes(length);
      if (type == GOAWAY && ByteBuffer.wrap(payload).getInt(4) != 0) {
        return ByteBuffer.wrap(payload).getInt(4);
      }
    }
  }

  private static void frame(ByteArrayOutputStream out, int type, int flags, int stream, byte[] b) {
    out.writeBytes(
        ByteBuffer.allocate(9)
            .put((byte) 0)
            .putShort((short) b.length)
            .put((byte) type)
            .put((byte) flags)
            .putInt(stream)
            .array());
    out.writeBytes(b);
  }
}
