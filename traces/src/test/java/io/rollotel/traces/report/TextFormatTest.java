package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.otlp.Resource;
import io.rollotel.traces.spans.TracedProcess;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextFormatTest {

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          0, 0 ns
          999, 999 ns
          1000, 1.00 µs
          9994, 9.99 µs
          9996, 10.0 µs
          789000, 789 µs
          999499, 999 µs
          999500, 1.00 ms
          4560000, 4.56 ms
          99949999, 99.9 ms
          99950000, 100 ms
          999499999, 999 ms
          999500000, 1.00 s
          1230000000, 1.23 s
          59949999999, 59.9 s
          59950000000, 1m 00s
          125000000000, 2m 05s
          3599499999999, 59m 59s
          3599500000000, 1h 00m
          45296000000000, 12h 35m
          """)
  void duration_hasThreeDigits(long nanos, String shown) {
    assertThat(TextFormat.duration(nanos)).isEqualTo(shown);
  }

  @Test
  void nameOfManyAccents_isCut() {
    String name = "worker.e" + "\u0301".repeat(5_000) + "nd";
    String shown = TextFormat.text(name, 30);
    assertThat(shown).startsWith("worker.e\u0301").endsWith("\u0301nd").hasSizeLessThan(60);
    assertThat(ShownWidth.of(shown)).isLessThanOrEqualTo(30);
  }

  @ParameterizedTest
  @CsvSource({"34.286, 34.29 a minute", "0.5, 30.00 an hour", "0.0058, 8.35 a day"})
  void rate_isInAUnitInWhichItHappens(double perMinute, String shown) {
    assertThat(TextFormat.rate(perMinute)).isEqualTo(shown);
  }

  @ParameterizedTest
  @CsvSource({
    "worker.generate, 15, worker.generate",
    "worker.generate, 14, worker..nerate",
    "a\u001b[31mb, 20, a?[31mb",
    "'a\nb\tc', 9, a?b?c",
    "a\u202eb, 9, a?b",
    "größe, 9, größe",
    "训练模型.生成, 13, 训练模型.生成",
    "训练模型.生成, 12, 训练...生成",
    "worker.generate🚀, 17, worker.generate🚀",
    "worker.generate🚀, 16, worker...erate🚀",
    "gro\u0308ße, 5, gro\u0308ße",
    // Eight accents stand on one character; each further one takes a column.
    "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301e, 2,"
        + " e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301e",
    "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301e, 2, .."
  })
  void text_isHarmlessAndNoWider(String text, int width, String shown) {
    assertThat(TextFormat.text(text, width)).isEqualTo(shown);
  }

  @ParameterizedTest
  @CsvSource({
    "com.acme.rl.workers.ActorWorker.generate, 40, com.acme.rl.workers.ActorWorker.generate",
    "com.acme.rl.workers.ActorWorker.generate, 39, c.acme.rl.workers.ActorWorker.generate",
    "com.acme.rl.workers.ActorWorker.generate, 35, c.a.rl.workers.ActorWorker.generate",
    "com.acme.rl.workers.ActorWorker.generate, 28, c.a.r.w.ActorWorker.generate",
    "com.acme.rl.workers.ActorWorker.generate, 27, ActorWorker.generate",
    "com.acme.rl.workers.ActorWorker.generate, 16, ActorWo..enerate",
    "com.acme.Worker.train(DataProto), 28, c.a.Worker.train(DataProto)",
    "com.acme.Worker.train ray.remote, 28, c.a.Worker.train ray.remote",
    "roll.pipeline.base_worker.generate, 24, r.p.base_worker.generate",
    "worker.generate, 14, worker..nerate",
    "GET /api/v1.2/long/path, 14, 'GET /a..g/path'",
    "a..b..generate_sequences, 14, a..b....uences",
    "'', 9, -",
    "com.公司.模型.训练, 16, c.公司.模型.训练",
    "com.公司.模型.训练, 15, c.公.模型.训练",
  })
  void spanName_keepsClassAndMethodAsLongAsItCan(String name, int width, String shown) {
    assertThat(TextFormat.spanName(name, width)).isEqualTo(shown);
  }

  @ParameterizedTest
  @CsvSource({
    "gpu-02.cluster.example.com:2013, '', 30, actor gpu-02:2013",
    "gpu-02.cluster.example.com:2013, '', 37, actor gpu-02.cluster.example.com:2013",
    "gpu-02.cluster.example.com:2013, 7, 30, actor gpu-02:2013 (rank 7)",
    "10.111.222.133:2013, '', 18, actor 10..133:2013",
    "com.acme.training.Worker, '', 18, actor co..g.Worker",
    "a-very-long-host-name-02.example.com:2013, '', 20, actor a-v..e-02:2013",
  })
  void process_losesItsDomainFirst(String instance, String rank, int width, String shown) {
    Resource resource =
        new Resource(
            Map.of("service.name", "actor", "service.instance.id", instance, "roll.rank", rank));
    assertThat(TextFormat.process(new TracedProcess(TracedProcess.key(resource), resource), width))
        .isEqualTo(shown);
  }

  @Test
  void spanNameOfManyParts_isShortenedToo() {
    assertThat(TextFormat.spanName("a.".repeat(100_000) + "B.c", 9)).isEqualTo("B.c");
  }
}
