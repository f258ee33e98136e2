package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lines of a width, tables that fit into it, and colours. */
class ReportWriterTest {

  private final StringWriter text = new StringWriter();

  private ReportWriter writer(int columns, boolean isColoured) {
    PrintWriter steered = new PrintWriter(text, true);
    return new ReportWriter(text, columns, isColoured ? steered : null);
  }

  private String text() {
    return text.toString().replace(System.lineSeparator(), "\n");
  }

  @ParameterizedTest
  @CsvSource({
    "what fits,              '  one two',            9,  '  one two'",
    "what does not,          '  one two',            8,  '  one/      two'",
    "several lines,          'aa bb cc dd ee ff gg', 10, 'aa bb cc/    dd ee/    ff gg'",
    "a word that is wider,   '  one twothree four',  9,  '  one/      twothree/      four'",
    "only a word,            onetwothree,            5,  onetwothree",
  })
  void textThatIsTooWide_goesOnBelow(String situation, String line, int columns, String shown) {
    writer(columns, false).wrapped(line);
    assertThat(text().strip()).as(situation).isEqualTo(shown.strip().replace('/', '\n'));
  }

  @ParameterizedTest
  @CsvSource({
    "0, ''",
    "1, and 1 more name (--json has it)",
    "2, and 2 more names (--json has them)"
  })
  void rowsThatAreLeftOut_areCounted(int number, String said) {
    writer(80, false).more(number, "name", "names");
    assertThat(text().strip()).isEqualTo(said);
  }

  @ParameterizedTest
  @CsvSource({
    "as wide as it is,      87, com.acme.rl.Actor.generate, a worker of the second host, why it failed at last",
    "the widest give way,   82, c.acme.rl.Actor.generate, a worker of..second host, why it failed at last",
    "no narrower than this, 20, Act..ate, a w..ost, why it..",
  })
  void columns_giveWayWhereALineHasNoRoom(
      String situation, int columns, String name, @Nullable String worker, String reason) {
    Table table = new Table("span.", "count>", "on~", "why…");
    table.row(
        "com.acme.rl.Actor.generate", "7", "a worker of the second host", "why it failed at last");
    table.print(writer(columns, false));
    String row = text().lines().toList().get(1);
    assertThat(row.strip().split(" {2,}")).as(situation).containsExactly(name, "7", worker, reason);
    assertThat(row.length()).isLessThanOrEqualTo(Math.max(columns, 2 + 8 + 7 + 10 + 10));
  }

  @ParameterizedTest
  @CsvSource({
    "room for all,           40, name-of-twenty-chars 1 22 333 4444",
    "names are readable,     36, name-of..y-chars 1 22 333 4444",
    "the last is left out,   35, name-of-twenty-chars 1 22 4444",
    "the other is left out,  30, name-of-t..ty-chars 1 4444",
    "nothing else can be,    20, name..ars 1 4444",
  })
  void columnsThatAreNotNeeded_areLeftOutBeforeNamesBecomeTooShort(
      String situation, int columns, String row) {
    Table table = new Table("name.", "a>", "?b>", "?c>", "d>");
    table.row("name-of-twenty-chars", "1", "22", "333", "4444");
    table.print(writer(columns, false));
    assertThat(text().lines().toList().get(1).strip().split(" +"))
        .as(situation)
        .containsExactly(row.split(" "));
  }

  @Test
  void colours_areOfTheHeadingAndTheRowThatStandsOut() {
    Table table = new Table("a");
    table.row(ReportWriter.Colour.BAD, "1");
    table.row("2");
    table.print(writer(80, true));
    assertThat(text()).isEqualTo("\u001b[1m  a\u001b[0m\n\u001b[31m  1\u001b[0m\n  2\n");
  }
}
