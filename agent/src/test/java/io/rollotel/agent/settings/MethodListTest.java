package io.rollotel.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MethodListTest {

  private final List<String> complaints = new ArrayList<>();

  /** All that is told of them. */
  private static List<String> unmatched(MethodList list) {
    return Stream.concat(list.undeclared().stream(), list.notLoaded().stream()).toList();
  }

  private MethodList list(String text) {
    return MethodList.parse(text, complaints);
  }

  @ParameterizedTest(name = "{0} names {1}.{2}: {3}")
  @CsvSource(
      delimiter = '|',
      value = {
        "com.acme.Worker[train]            | com.acme.Worker       | train    | true",
        "com.acme.Worker[train]            | com.acme.Worker       | trainAll | false",
        "com.acme.Worker[train]            | com.acme.Worker       | retrain  | false",
        "com.acme.Worker[train]            | com.acme.Workers      | train    | false",
        "com.acme.Worker[train]            | com.acme.x.Worker     | train    | false",
        "com.acme.Worker[train]            | comxacmexWorker       | train    | false",
        "com.acme.Worker[train]            | com.acme.Worker$Inner | train    | false",
        "com.acme.Worker$Inner[train]      | com.acme.Worker$Inner | train    | true",
        "com.acme.Worker$*[train]          | com.acme.Worker$Inner | train    | true",
        "com.acme.Worker$*[train]          | com.acme.Worker       | train    | false",
        "com.acme.Worker[train,gen*]       | com.acme.Worker       | generate | true",
        "com.acme.Worker[train,gen*]       | com.acme.Worker       | gen      | true",
        "com.acme.Worker[train,gen*]       | com.acme.Worker       | regen    | false",
        "com.acme.Worker[*]                | com.acme.Worker       | any      | true",
        "com.acme.Worker[*Step]            | com.acme.Worker       | trainStep | true",
        "com.acme.Worker[t*n]              | com.acme.Worker       | train    | true",
        "com.acme.Worker[a$b]              | com.acme.Worker       | a$b      | true",
        "com.acme.*[run]                   | com.acme.Worker       | run      | true",
        "com.acme.*[run]                   | com.acme.Worker$Inner | run      | true",
        "com.acme.*[run]                   | com.acme.rl.Worker    | run      | false",
        "com.*.Worker[run]                 | com.acme.Worker       | run      | true",
        "com.*.Worker[run]                 | com.acme.rl.Worker    | run      | false",
        "com.acme.W*r[run]                 | com.acme.Worker       | run      | true",
        "com.acme.rl.**[run]               | com.acme.rl.Worker    | run      | true",
        "com.acme.rl.**[run]               | com.acme.rl.a.b.C     | run      | true",
        "com.acme.rl.**[run]               | com.acme.Worker       | run      | false",
        "com.**.Worker[run]                | com.acme.rl.Worker    | run      | true",
        "com.**.Worker[run]                | com.acme.rl.Workers   | run      | false",
        "**[run]                           | Worker                | run      | true",
        "**[run]                           | com.acme.Worker       | run      | true",
        "**[run]                           | com.acme.Worker       | rerun    | false",
        "*[run]                            | Worker                | run      | true",
        "*[run]                            | com.acme.Worker       | run      | false",
        "' com.acme.Worker [ a , run ] '   | com.acme.Worker       | run      | true",
        "com.acme.A[x];com.acme.B[y]       | com.acme.B            | y        | true",
        "com.acme.A[x];com.acme.B[y]       | com.acme.B            | x        | false",
        "com.acme.Größe[wähle*]            | com.acme.Größe        | wähleAus | true",
      })
  void entry_namesThese(String text, String className, String method, boolean named) {
    MethodList list = list(text);
    assertThat(complaints).isEmpty();
    assertThat(list.names(className, method)).isEqualTo(named);
    if (named) {
      assertThat(list.namesClass(className)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "com.acme.Worker",
        "com.acme.Worker[",
        "com.acme.Worker[]",
        "com.acme.Worker[train",
        "com.acme.Worker[train,]",
        "com.acme.Worker[,train]",
        "com.acme.Worker[train]x",
        "com.acme.Worker[train][run]",
        "com.acme.Worker[tr ain]",
        "com.acme.Worker[train(int)]",
        "com.acme.Worker.train",
        "com..Worker[train]",
        ".Worker[train]",
        "com.acme.[train]",
        "com/acme/Worker[train]",
        "[train]",
        "com.acme.Worker[(a+)+]",
      })
  void malformedEntry_isOneComplaintAndCostsNoOther(String entry) {
    MethodList list = list("com.acme.A[x];" + entry + ";com.acme.B[y]");

    assertThat(complaints)
        .singleElement()
        .asString()
        .isEqualTo(
            "ROLL_OTEL_METHODS: "
                + entry
                + " is not understood; it takes com.acme.Worker[train,gen*];com.acme.rl.**[run]");
    assertThat(list.names("com.acme.A", "x")).isTrue();
    assertThat(list.names("com.acme.B", "y")).isTrue();
    assertThat(unmatched(list)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", ";", " ; ;"})
  void nothing_isEmpty(String text) {
    assertThat(list(text).isEmpty()).isTrue();
    assertThat(complaints).isEmpty();
  }

  @Test
  void unmatched_areThoseThatNamedNoMethod() {
    MethodList list = list("com.acme.A[x]; com.acme.B[y, run*] ;com.acme.**[x]");
    String notLoaded =
        " matched no method: this JVM has loaded no such class that can be traced;"
            + " another JVM may";
    String declaresNone =
        " matched no method: the loaded classes of that name declare none that can be traced";
    assertThat(unmatched(list))
        .containsExactly(
            "ROLL_OTEL_METHODS: com.acme.A[x];com.acme.B[y,run*];com.acme.**[x]" + notLoaded);

    list.namesClass("com.acme.B");
    assertThat(unmatched(list)).as("it may not be one that can be woven").hasSize(1);

    list.namesLoaded("com.acme.B");
    list.names("com.acme.B", "z");
    assertThat(unmatched(list))
        .as("a class alone is no match")
        .containsExactly(
            "ROLL_OTEL_METHODS: com.acme.B[y,run*]" + declaresNone,
            "ROLL_OTEL_METHODS: com.acme.**[x]" + declaresNone,
            "ROLL_OTEL_METHODS: com.acme.A[x]" + notLoaded);

    assertThat(list.isAnyMatched()).isFalse();

    list.names("com.acme.A", "x");
    list.names("com.acme.B", "y");
    assertThat(list.isAnyMatched()).isTrue();
    assertThat(unmatched(list))
        .as("each entry that names it, and of an entry the names that are left")
        .containsExactly("ROLL_OTEL_METHODS: com.acme.B[run*]" + declaresNone);
  }

  @Test
  @Timeout(600)
  void manyStars_doNotTakeForever() {
    MethodList list = list("a".repeat(50) + "*a*a*a*[x*x*x*x]");
    assertThat(list.names("a".repeat(300), "x".repeat(300) + "y")).isFalse();
  }
}
