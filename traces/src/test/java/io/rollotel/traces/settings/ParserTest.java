package io.rollotel.traces.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ParserTest {

  private enum Colour {
    RED,
    LIGHT_RED
  }

  @ParameterizedTest
  @CsvSource({
    "1, true",
    "yes, true",
    "TRUE, true",
    "On, true",
    "0, false",
    "no, false",
    "off, false",
    "False, false",
    "2,",
    "maybe,",
    "o n,"
  })
  void flag_takesTheseWords(String text, @Nullable Boolean value) {
    assertThat(Parser.flag().parse(text)).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({"red, RED", "RED, RED", "Light_Red, LIGHT_RED", "blue,"})
  void choice_takesTheConstants(String text, @Nullable Colour value) {
    Parser<Colour> parser = Parser.choice(Colour.values());
    assertThat(parser.parse(text)).isEqualTo(value);
    assertThat(parser.takes()).isEqualTo("red, light_red");
    assertThat(parser.shown(Colour.LIGHT_RED)).isEqualTo("light_red");
  }

  @ParameterizedTest
  @CsvSource({
    "3, 3",
    "10, 10",
    "007, 7",
    "2,",
    "11,",
    "+5,",
    "-5,",
    "5k,",
    "5.0,",
    "'5 ',",
    "x,",
    "99999999999999999999,"
  })
  void number_isWholeAndWithinItsBounds(String text, @Nullable Long value) {
    assertThat(Parser.number(3, 10, "").parse(text)).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1000, 1000",
    "64k, 65536",
    "64K, 65536",
    "64 kB, 65536",
    "64 kib, 65536",
    "1m, 1048576",
    "12b, 12",
    "1g,",
    "1.5k,",
    "k,",
    "ib,",
    "1x,",
    "1kk,",
    "1bb,",
    "-1,",
    "999999999999999999m,"
  })
  void bytes_haveUnits(String text, @Nullable Long value) {
    assertThat(Parser.bytes(2 << 20).parse(text)).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "0k, 0", "128k, 131072", "127k,", "1,", "1g, 1073741824", "1025m,"})
  void bytesOrNone_haveALeastSize(String text, @Nullable Long value) {
    assertThat(Parser.bytesOrNone(128 << 10, 1 << 30, "").parse(text)).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "2, 2000",
    "0.5, 500",
    "1.5s, 1500",
    "2 s, 2000",
    "500ms, 500",
    "250 ms, 250",
    "60, 60000",
    "60.001,",
    ".5,",
    "5.,",
    "5.s,",
    "1h,",
    "5sms,",
    "5MS,",
    "2d,",
    "2f,",
    "1e1,",
    "0x1p1,",
    "NaN,",
    "-1,",
    "s,",
    "99999999999999999999,"
  })
  void seconds_areGivenInMillis(String text, @Nullable Long value) {
    assertThat(Parser.seconds(60_000, "").parse(text)).isEqualTo(value);
  }

  @Test
  void names_areSeparatedByCommas() {
    assertThat(Parser.names().parse(", a ,b,, c,")).containsExactly("a", "b", "c");
    assertThat(Parser.names().shown(List.of("a", "b"))).isEqualTo("a,b");
  }

  @Test
  void text_hasAFormWhereOneIsWanted() {
    assertThat(Parser.text().parse("any thing")).isEqualTo("any thing");
    assertThat(Parser.text("a+", "").parse("aa")).isEqualTo("aa");
    assertThat(Parser.text("a+", "").parse("ab")).isNull();
  }

  @Test
  void address_isOfAHost() {
    assertThat(new Address().parse("127.0.0.1")).isNotNull();
    assertThat(new Address().parse("[x]")).isNull();
  }

  @Test
  void whatIsNotUnderstood_isOneLineAndTheDefaultHolds() {
    Setting<Long> setting =
        Setting.of("COUNT_OF_X", Parser.number(1, 9, "a number from 1 to 9"), "3", "how many");
    List<String> complaints = new ArrayList<>();

    assertThat(setting.read("12", complaints)).isEqualTo(3);
    assertThat(setting.understood("12", new ArrayList<>())).isNull();
    assertThat(setting.read(null, complaints)).isEqualTo(3);
    assertThat(setting.read("4", complaints)).isEqualTo(4);
    assertThat(complaints)
        .containsExactly(
            "ROLL_OTEL_COUNT_OF_X=12 is not understood; it takes a number from 1 to 9");
    assertThat(setting.property()).isEqualTo("roll.otel.count.of.x");
    assertThat(setting.shownDefault()).isEqualTo("`3`");
  }
}
