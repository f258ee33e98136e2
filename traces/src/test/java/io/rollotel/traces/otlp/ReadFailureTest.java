package io.rollotel.traces.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UTFDataFormatException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.stream.Stream;
import java.util.zip.ZipException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ReadFailureTest {

  @ParameterizedTest
  @MethodSource
  void reason_hasAClassOfJavaOnlyWhereItTellsMoreThanTheMessage(IOException e, String reason) {
    assertThat(ReadFailure.reason(e)).isEqualTo(reason);
  }

  static Stream<Arguments> reason_hasAClassOfJavaOnlyWhereItTellsMoreThanTheMessage() {
    return Stream.of(
        Arguments.of(new AccessDeniedException("/a/b"), "no permission to read it"),
        Arguments.of(new NoSuchFileException("/a/b"), "it is no longer there"),
        Arguments.of(
            new FileSystemException("/a/b", null, "Stale file handle"), "Stale file handle"),
        Arguments.of(new IOException("Input/output error"), "Input/output error"),
        Arguments.of(
            new ZipException("invalid block type"),
            "the compressed file is damaged: invalid block type"),
        Arguments.of(new IOException(), "java.io.IOException"),
        Arguments.of(new UTFDataFormatException("x"), "java.io.UTFDataFormatException: x"));
  }
}
