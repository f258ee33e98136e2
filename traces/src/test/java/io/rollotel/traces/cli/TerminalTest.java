package io.rollotel.traces.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TerminalTest {

  private final List<String> asked = new ArrayList<>();

  private Terminal terminal(boolean isTerminal, String size, String environment) {
    Map<String, String> variables = new HashMap<>();
    for (String variable : environment.split(" ")) {
      variables.put(variable.split("=", 2)[0], variable.replaceFirst("^[^=]*=?", ""));
    }
    return new Terminal(
        variables,
        descriptor -> isTerminal,
        () -> {
          asked.add(size);
          return size;
        });
  }

  @ParameterizedTest
  @CsvSource({
    "what COLUMNS says,             true,  50 120, COLUMNS=80,   80,   0",
    "COLUMNS without a terminal,    false, '',     COLUMNS=80,   80,   0",
    "the terminal's,                true,  50 120, A=1,          120,  1",
    "one that is narrow,            true,  50 20,  A=1,          60,   1",
    "one that is wide,              true,  1 5000, A=1,          1000, 1",
    "one that does not know,        true,  0 0,    A=1,          100,  1",
    "one that does not say,         true,  '',     A=1,          100,  1",
    "nonsense,                      true,  50 120, COLUMNS=wide, 120,  1",
    "a file: nothing is asked,      false, 50 120, A=1,          100,  0",
  })
  void columns_areThoseOfTheTerminal(
      String situation, boolean isTerminal, String size, String set, int columns, int questions) {
    assertThat(terminal(isTerminal, size, set).columns()).as(situation).isEqualTo(columns);
    assertThat(asked).as(situation).hasSize(questions);
  }

  @ParameterizedTest
  @CsvSource({
    "a terminal,            true,  TERM=xterm,            true",
    "a file,                false, TERM=xterm,            false",
    "nobody wants them,     true,  TERM=xterm NO_COLOR=1, false",
    "an empty NO_COLOR,     true,  TERM=xterm NO_COLOR=,  true",
    "a terminal that has none, true, TERM=dumb,           false",
  })
  void colours_areForATerminal(
      String situation, boolean isTerminal, String set, boolean areWanted) {
    assertThat(terminal(isTerminal, "", set).wantsColours()).as(situation).isEqualTo(areWanted);
  }
}
