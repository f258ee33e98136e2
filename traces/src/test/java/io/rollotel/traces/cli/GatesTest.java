package io.rollotel.traces.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Exit codes of comparisons. */
class GatesTest extends ReportFixture {

  @Test
  void slowerRun_failsWithCodeThreeWhereItIsTooSlow() {
    String one = dir.resolve("one").toString();
    String two = dir.resolve("two").toString();
    assertThat(run("report", two, "--against", one)).isZero();
    assertThat(last.out())
        .startsWith("Run two against run one")
        .contains("phase   train          100 ms  150 ms   1.50")
        .contains("Nothing got significantly faster.")
        .contains("2 comparisons show no significant difference");
    assertThat(run("report", two, "--against", one, "--fail-on-regression", "40")).isEqualTo(3);
    assertThat(run("report", two, "--against", one, "--fail-on-regression", "60")).isZero();
    assertThat(run("report", one, "--against", two, "--fail-on-regression", "0")).isZero();
    assertThat(last.err()).isEmpty();
  }

  @Test
  void whatMadeTheCode_isTheLastLine() {
    String one = "--against=" + dir.resolve("one");
    String two = dir.resolve("two").toString();
    assertThat(run("report", two, one, "--fail-on-regression=40")).isEqualTo(3);
    String line =
        "Exit code 3: slower by 40% or more: phase train, 150 ms against 100 ms, ratio 1.50"
            + " (1.50 to 1.50); and 1 other";
    assertThat(last.out().lines().toList()).endsWith(line);
    assertThat(run("report", two, one, "--fail-on-regression=40", "--json")).isEqualTo(3);
    assertThat(last.out().lines()).hasSize(1); // one object only
    assertThat(last.err().trim()).isEqualTo(line);
    assertThat(run("report", two, one, "--fail-on-regression=60")).isZero();
    assertThat(last.out()).doesNotContain("Exit code");
  }

  @Test
  void gateOnSteps_looksAtNothingElse() {
    String one = "--against=" + dir.resolve("one");
    String two = dir.resolve("two").toString();
    // A train of 1.5 times as long makes steps of 1.33 times.
    assertThat(run("report", two, one, "--fail-on-regression=40", "--fail-on=steps")).isZero();
    assertThat(run("report", two, one, "--fail-on-regression=30", "--fail-on=steps")).isEqualTo(3);
    assertThat(last.out()).contains("Exit code 3: slower by 30% or more: step, 200 ms against");
    assertThat(run("report", two, one, "--fail-on-regression=40", "--fail-on=any")).isEqualTo(3);
    assertThat(run("report", two, one, "--fail-on-regression=40", "--fail-on=names")).isEqualTo(2);
  }

  @Test
  void fewSteps_endWithACodeOfTheirOwn() throws Exception {
    plant("few", 201, START, 100, 3);
    plant("slow", 301, START, 200, 3);
    String few = "--against=" + dir.resolve("few");
    String slow = dir.resolve("slow").toString();
    for (String scope : List.of("any", "steps")) {
      assertThat(run("report", slow, few, "--fail-on-regression=50", "--fail-on=" + scope))
          .isEqualTo(4);
      assertThat(last.out())
          .doesNotContain("Nothing got significantly slower")
          .contains("Exit code 4: too few to tell whether it is slower by 50%: step, 3 against 3");
    }
    assertThat(run("report", slow, few, "--json")).isZero();
    assertThat(last.out()).contains("\"tooFew\":true,\"ratioLow\":1.6");
  }

  /** As where the latest run has recorded nothing: the gate must not pass. */
  @ParameterizedTest
  @ValueSource(strings = {"--against=two", "--against=DIR", "--run=one --against=one"})
  void runAgainstItself_isRefused(String options) {
    String[] call =
        ("report DIR --fail-on-regression=10 " + options).replace("DIR", dir.toString()).split(" ");
    assertThat(run(call)).isOne();
    assertThat(last.err()).contains(" would be compared with itself. ");
    assertThat(last.out()).isEmpty();
  }

  @Test
  void againstARunOfTheSameFiles_isTakenByItsId() {
    assertThat(run("report", dir.toString(), "--against=one", "--fail-on-regression=40"))
        .isEqualTo(3);
    assertThat(run("report", dir.toString(), "--against=one", "--json")).isZero();
    assertThat(last.out()).startsWith("{\"schemaVersion\":1,\"run\":\"two\",\"against\":\"one\"");
    assertThat(run("report", dir.toString(), "--against=none")).isEqualTo(1);
    assertThat(last.err()).contains("There is no file or directory none, nor a run with that id.");
  }
}
