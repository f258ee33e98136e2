package io.rollotel.agent.weave;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.weave.WovenMethod.Argument;
import io.rollotel.agent.weave.WovenMethod.Use;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WovenMethodTest {

  @ParameterizedTest
  @MethodSource("methods")
  void format_thenParse_givesTheSame(WovenMethod method) {
    assertThat(WovenMethod.parse(method.format())).isEqualTo(method);
  }

  static Stream<WovenMethod> methods() {
    return Stream.of(
        method(true, "worker.work", List.of()),
        method(false, "", List.of()),
        method(true, "a name of words, in 日本語", List.of()),
        new WovenMethod(
            "acme.Wörker",
            "wörk",
            "(Lacme/Päyload;[I)V",
            "java.util.concurrent.CompletableFuture",
            true,
            "s",
            "CONSUMER",
            List.of("acme.Outer$Stop", "acme.My Exception"),
            List.of()),
        new WovenMethod(
            "ob\nfuscated.A\n",
            "\n",
            "([Lob\nfuscated/B;)V",
            "[Lob\nfuscated.B;",
            true,
            "s",
            "INTERNAL",
            List.of("\n", "C\nD"),
            List.of(new Argument(Use.CANDIDATES, "ob\nfuscated.B", "key [. of user"))),
        method(
            true,
            "worker.work",
            List.of(
                new Argument(Use.META_INFO, "java.util.Map", ""),
                new Argument(Use.CANDIDATE, "acme.Outer$Inner", ""),
                new Argument(Use.ATTRIBUTE, "int", "batch.size"),
                new Argument(Use.ATTRIBUTE, "[Ljava.lang.String;", "a key of words "),
                new Argument(Use.ATTRIBUTE, "long", ""))));
  }

  private static WovenMethod method(boolean traced, String spanName, List<Argument> arguments) {
    return new WovenMethod(
        "acme.Worker", "work", "()V", "void", traced, spanName, "INTERNAL", List.of(), arguments);
  }

  @Test
  void lineBreaksInUserText_becomeSpaces() {
    WovenMethod method =
        method(true, "a\nb\r\nc", List.of(new Argument(Use.ATTRIBUTE, "int", "k\ney\r")));
    WovenMethod parsed = WovenMethod.parse(method.format());
    assertThat(parsed.spanName()).isEqualTo("a b  c");
    assertThat(parsed.arguments()).containsExactly(new Argument(Use.ATTRIBUTE, "int", "k ey "));
  }

  @Test
  void typeWithSpaceInItsName_survives() {
    WovenMethod method =
        method(true, "s", List.of(new Argument(Use.ATTRIBUTE, "acme.My Payload", "key")));
    assertThat(WovenMethod.parse(method.format())).isEqualTo(method);
  }
}
