package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.Methods;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A detached agent leaves nothing behind. */
class DetachIT extends AttachFixture {

  @Tag("campaign")
  @Test
  void detachOfAnAttachedAgent_leavesEachMethodAsItWas() throws Exception {
    try (LiveProgram program = globalWorker("none", NEWEST).start()) {
      program.await("= ready");
      command("attach", program.pid());
      List<Object> woven = methods(program);
      Answer detached = command("detach", program.pid());

      assertThat(detached.out()).contains("tracing is off: 2 classes are restored");
      assertThat(detached.err()).isEmpty();
      assertThat(woven.get(0)).isNotEqualTo(original().get(0));
      assertThat(woven.get(1)).isNotEqualTo(original().get(1));
      assertThat(methods(program)).isEqualTo(original());
      command("attach", program.pid());
      assertThat(methods(program)).isEqualTo(woven);
      command("detach", program.pid());
      assertThat(methods(program)).isEqualTo(original());
      assertThat(program.end()).isEmpty();
    }
  }

  @Test
  void detachOfAnAgentOfTheCommandLine_leavesTheBytesOfTheClassFiles() throws Exception {
    try (LiveProgram program =
        globalWorker("none", NEWEST).withAgent().environment("ROLL_OTEL_ENABLED", "1").start()) {
      program.await("= ready");
      assertThat(bytes(program, GLOBAL)).isNotEqualTo(classFile(GLOBAL));
      assertThat(command("detach", program.pid()).out()).contains("tracing is off");
      assertThat(bytes(program, GLOBAL)).isEqualTo(classFile(GLOBAL));
      assertThat(bytes(program, WORKER)).isEqualTo(classFile(WORKER));
      assertThat(program.ask("call")).isEqualTo("1 injected []");
      int spans = Result.spans(directory.resolve("output/otlp")).size();
      command("attach", program.pid());
      program.ask("call");
      command("detach", program.pid());
      assertThat(Result.spans(directory.resolve("output/otlp"))).hasSize(spans + 2);
      assertThat(program.end()).isEmpty();
    }
  }

  @Tag("campaign")
  @Test
  void detach_flushesAndLeavesNoThreadAndNoClassOfTheSdk() throws Exception {
    try (LiveProgram program = worker().start()) {
      program.await("= ready");
      for (int i = 1; i <= 3; i++) {
        command("attach", program.pid());
        program.ask("call");
        assertThat(program.ask("threads")).contains("roll-otel-export");
        command("detach", program.pid());
        assertThat(Result.spans(directory.resolve("output/otlp"))).hasSize(3 * i);
      }
      awaitEqual("[]", program, () -> program.ask("threads"));
      awaitEqual(
          "0",
          program,
          () -> {
            program.ask("threads"); // collects garbage
            observe(program, null);
            return program.await("ours ");
          });
      assertThat(program.end()).isEmpty();
    }
  }

  /** Those through which the context follows work into other threads. */
  @ParameterizedTest
  @ValueSource(strings = {"java.lang.Thread", "java.util.concurrent.ForkJoinPool"})
  void detach_leavesTheJdksClassesAsTheyWere(String name) throws Exception {
    Object original = Methods.of(classFile(name));
    try (LiveProgram program = worker().start()) {
      program.await("= ready");
      command("attach", program.pid());
      program.ask("call");
      assertThat(Methods.of(bytes(program, name))).isNotEqualTo(original);
      command("detach", program.pid());
      assertThat(Methods.of(bytes(program, name))).isEqualTo(original);
      assertThat(program.end()).isEmpty();
    }
  }

  @Test
  void callThatRunsMeanwhile_endsAsIfNothingHadHappened() throws Exception {
    try (LiveProgram program = worker().start()) {
      program.await("= ready");
      program.ask("hold");
      command("attach", program.pid());
      assertThat(program.ask("release")).as("began before: no span").isEqualTo("1");
      program.ask("hold");
      command("detach", program.pid());
      assertThat(program.ask("release")).as("ends afterwards: no span").isEqualTo("1");
      command("attach", program.pid());
      program.ask("hold");
      assertThat(program.ask("release")).isEqualTo("1");
      assertThat(program.end()).isEmpty();
    }
    assertThat(Result.spans(directory.resolve("output/otlp")))
        .singleElement()
        .extracting(Span::name)
        .isEqualTo("worker.hold");
  }
}
