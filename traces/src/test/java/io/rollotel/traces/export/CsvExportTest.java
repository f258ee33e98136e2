package io.rollotel.traces.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.trace.v1.Span;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows of spans. */
class CsvExportTest extends ExportFixture {

  @Test
  void csv_hasARowForEachSpan() throws Exception {
    String csv = export(Export.Format.CSV);
    assertThat(csv)
        .startsWith("run,trace_id,span_id,parent_span_id,name,")
        .contains(
            "r1,00000000000000000000000000000001,0000000000000002,0000000000000001,"
                + "worker.generate,0,actor,w:1,,node2,,1795269422000010000,1795269422000080001,"
                + "70001,69001,0,2000,1,,1\r\n")
        .contains("\"</script>,\"\"\u2028\n=1+1\"")
        .contains("no times,0,actor,w:1,,node2,,,,,,,,0,,1\r\n");
  }

  @Test
  void csvOfHostsWithOtherClocks_hasRecordedTimesAndTheReportsSums() throws Exception {
    Path clocks = Files.createDirectory(dir.resolve("clocks"));
    plantClocks(clocks);
    Export export = read(clocks, Export.Format.CSV, "path:yes name:generate");
    String start = Long.toString(START + 3_105_000_000L);
    String end = Long.toString(START + 3_895_000_000L);
    assertThat(written(export).lines().skip(1))
        .hasSize(3)
        .element(0)
        .asString()
        .contains(",gpu,," + start + "," + end + ",790000000,790000000,790000000,5000000,0,");
    assertThat(export.clocksText()).contains("as recorded", "those of the report");
    assertThat(written(read(clocks, Export.Format.JAEGER, null)))
        .contains("\"startTime\":" + START / 1000, "\"startTime\":" + (START / 1000 + 3_105_000));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          no end               | 5 | 0   | 1 | 5,,,,,,
          end before its start | 5 | 4   | 1 | 5,,,,,,
          no start             | 0 | 9   | 1 | ,,,,,,
          kind of the future   | 5 | 9   | 99 | 5,9,4,4,4,,
          """)
  void timesThatWereNotRecorded_areEmptyCells(
      String name, long start, long end, int kind, String cells) throws Exception {
    Path odd = Files.createDirectory(dir.resolve("odd"));
    Span span =
        Requests.span(1, 1, 0, name, start, 0).toBuilder()
            .setEndTimeUnixNano(end)
            .setKindValue(kind)
            .build();
    Span other = Requests.span(2, 2, 0, "work", 5, 3);
    PlantedFile.write(odd.resolve("traces.jsonl"), Requests.of(List.of(span, other)));
    assertThat(written(read(odd, Export.Format.CSV, null)))
        .contains(name + "," + (kind == 99 ? 0 : kind) + ",,,,,," + cells);
    for (Export.Format format : List.of(Export.Format.JAEGER, Export.Format.PERFETTO)) {
      Export export = read(odd, format, null);
      assertThat(written(export).contains(name)).isEqualTo(start > 0);
      assertThat(export.undated()).isEqualTo(start > 0 ? 0 : 1);
    }
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      textBlock =
          """
          =1+1            | '=1+1            | =1+1
          +1              | '+1              | +1
          @SUM(A1)        | '@SUM(A1)        | @SUM(A1)
          -cmd            | '-cmd            | -cmd
          -1+1            | '-1+1            | -1+1
          -1              | -1               | -1
          -1.5            | -1.5             | -1.5
          TAB=1           | 'TAB=1           | TAB=1
          RET=1           | "'RET=1"         | "RET=1"
          =A1,B1          | "'=A1,B1"        | "=A1,B1"
          a=1             | a=1              | a=1
          CSI31mred       | \\u009b31mred    | CSI31mred
          RLOgpj.exe      | \\u202egpj.exe   | RLOgpj.exe
          """)
  void cellOfCsv_isNoFormulaAndSteersNothing(String name, String cell, String raw)
      throws Exception {
    Path odd = Files.createDirectory(dir.resolve("odd"));
    PlantedFile.write(
        odd.resolve("traces.jsonl"),
        Requests.of(List.of(Requests.span(1, 1, 0, odd(name), START, 1))));
    String before = "0000000000000001,,";
    assertThat(csvOf(odd, Export.Format.CSV)).contains(before + odd(cell) + ",");
    assertThat(csvOf(odd, Export.Format.RAW_CSV)).contains(before + odd(raw) + ",");
  }
}
