package io.rollotel.parquet;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.Util;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Sizes and places in a file's footer that cannot be: no memory is taken for them. */
class DamageTest {

  private static final int TAIL_BYTES = 8;

  @TempDir Path dir;
  private Path parquet;

  @BeforeEach
  void plant() throws Exception {
    Path lines = dir.resolve("traces.jsonl");
    PlantedFile.write(
        lines, Requests.of(List.of(Requests.span(1, 1, 0, "step", 5, 5)), "service.name", "s"));
    parquet = dir.resolve("run.parquet");
    assertThat(Command.of("export", "--parquet", parquet, lines).code()).isZero();
  }

  static Stream<Named<Consumer<ColumnMetaData>>> damages() {
    return Stream.of(
        Named.of("larger", column -> column.setTotal_compressed_size(1L << 40)),
        Named.of("negative", column -> column.setTotal_compressed_size(-5)),
        Named.of("beyond", column -> column.setData_page_offset(1L << 40)),
        Named.of("wraps around", column -> column.setTotal_compressed_size(Long.MAX_VALUE)));
  }

  @ParameterizedTest
  @MethodSource("damages")
  void columnThatCannotBeInTheFile_isNamed(Consumer<ColumnMetaData> damage) throws Exception {
    byte[] bytes = Files.readAllBytes(parquet);
    int end = bytes.length - TAIL_BYTES;
    int length = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(end);
    FileMetaData footer =
        Util.readFileMetaData(new ByteArrayInputStream(bytes, end - length, length));
    ColumnMetaData column = footer.getRow_groups().get(0).getColumns().get(1).getMeta_data();
    column.unsetDictionary_page_offset();
    damage.accept(column);
    ByteArrayOutputStream damaged = new ByteArrayOutputStream();
    damaged.write(bytes, 0, end - length);
    Util.writeFileMetaData(footer, damaged);
    int written = damaged.size() - (end - length);
    damaged.write(
        ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(written).array(), 0, 4);
    damaged.write(bytes, bytes.length - 4, 4);
    Files.write(parquet, damaged.toByteArray());

    assertThat(Command.of("report", parquet).err())
        .contains("incomplete Parquet file: column span_id of row group 1 would lie outside it")
        .doesNotContain("\tat ");
  }
}
