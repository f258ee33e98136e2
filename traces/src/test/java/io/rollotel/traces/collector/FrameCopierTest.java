package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameCopierTest {

  private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII);

  private final EmbeddedChannel channel = new EmbeddedChannel(new FrameCopier());
  private final List<ByteBuf> sent = new ArrayList<>();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 9, 10, 100, 16_384, 16_393, 70_000})
  void bytesInPiecesOfAnySize_areHandedOnFrameByFrame(int mostAtOnce) {
    List<Integer> payloads = List.of(0, 1, 5, 16_384, 0, 16_383, 300, 2);
    byte[] all = connection(payloads);
    List<ByteBuf> received = new ArrayList<>();
    Random random = new Random(mostAtOnce);
    for (int at = 0; at < all.length; ) {
      int part = Math.min(all.length - at, 1 + random.nextInt(mostAtOnce));
      received.addAll(send(Arrays.copyOfRange(all, at, at + part)));
      at += part;
    }
    assertThat(content(received)).isEqualTo(all);
    assertThat(sent).as("what was read is free at once").allMatch(read -> read.refCnt() == 0);
    List<Integer> sizes = received.stream().map(ByteBuf::capacity).toList();
    assertThat(sizes.subList(sizes.size() - payloads.size(), sizes.size()))
        .isEqualTo(payloads.stream().map(payload -> 9 + payload).toList());
    received.forEach(ByteBuf::release);
  }

  @Test
  void frameBeyondTheLimit_isLeftToTheTransportWithAllThatFollows() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(PREFACE);
    bytes.writeBytes(new byte[] {0, 0x40, 1, 0, 0, 0, 0, 0, 1});
    bytes.writeBytes(new byte[100]);
    List<ByteBuf> received = send(bytes.toByteArray());
    received.addAll(send(new byte[50]));
    bytes.writeBytes(new byte[50]);
    assertThat(content(received)).isEqualTo(bytes.toByteArray());
    received.forEach(ByteBuf::release);
    assertThat(sent).allMatch(read -> read.refCnt() == 0);
  }

  @Test
  void connectionThatEndsWithinAFrame_leavesNothingBehind() {
    byte[] all = connection(List.of(1000));
    List<ByteBuf> received = send(Arrays.copyOf(all, all.length - 1));
    FrameCopier copier = channel.pipeline().get(FrameCopier.class);
    ByteBuf unfinished = copier.unfinished();
    assertThat(unfinished).isNotNull();
    channel.finishAndReleaseAll();
    assertThat(unfinished.refCnt()).isZero();
    received.forEach(ByteBuf::release);
  }

  private List<ByteBuf> send(byte[] bytes) {
    ByteBuf read = Unpooled.copiedBuffer(bytes);
    sent.add(read);
    channel.writeInbound(read);
    List<ByteBuf> received = new ArrayList<>();
    for (ByteBuf part = channel.readInbound(); part != null; part = channel.readInbound()) {
      ByteBuf copy = part;
      if (part.unwrap() != null) { // of the preface, or given up
        copy = Unpooled.copiedBuffer(part);
        part.release();
      }
      received.add(copy);
    }
    return received;
  }

  private static byte[] connection(List<Integer> payloads) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(PREFACE);
    Random random = new Random(1);
    for (int length : payloads) {
      bytes.write(length >> 16);
      bytes.write(length >> 8);
      bytes.write(length);
      bytes.writeBytes(new byte[] {0, 0, 0, 0, 0, 1});
      byte[] payload = new byte[length];
      random.nextBytes(payload);
      bytes.writeBytes(payload);
    }
    return bytes.toByteArray();
  }

  private static byte[] content(List<ByteBuf> parts) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (ByteBuf part : parts) {
      byte[] content = new byte[part.readableBytes()];
      part.getBytes(part.readerIndex(), content);
      bytes.writeBytes(content);
    }
    return bytes.toByteArray();
  }
}
