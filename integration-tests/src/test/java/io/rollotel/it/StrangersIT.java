package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.it.kit.Stranger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The agent in programs that do not know it: the same results, and no further output except its
 * own. docs/strangers.md has the costs.
 */
@Tag("engines")
class StrangersIT {

  private static final int REQUESTS = 3_000;
  private static final int WORDS = 20_000;

  /** Of the runs without the agent, each made once. */
  private static final Map<String, Result> PLAIN = new HashMap<>();

  private static @TempDir Path directory;

  @Test
  void mavenBuild_makesTheSameJars() throws Exception {
    Result plain = plain("maven", 1);
    Result traced = Stranger.of(directory, "maven", 1).agentThatTells().run();

    assertThat(jars(traced)).hasSize(3).isEqualTo(jars(plain));
    isUnused(traced, plain, 2); // Maven's, and the one that it forked
  }

  @Test
  void springApplication_givesTheSameAnswers() throws Exception {
    Result plain = plain("spring", REQUESTS);
    Result traced = Stranger.of(directory, "spring", REQUESTS).agentThatTells().run();

    assertThat(answers(traced)).hasSize(3).isEqualTo(answers(plain));
    isUnused(traced, plain, 1);
  }

  @Test
  void springApplicationWithListedMethods_hasASpanForEachRequest() throws Exception {
    Result traced =
        Stranger.of(directory, "spring", REQUESTS)
            .agent()
            .environment("ROLL_OTEL_METHODS", "com.example.Orders[prime,invoice,later]")
            .run();

    Result plain = plain("spring", REQUESTS);
    assertThat(answers(traced)).isEqualTo(answers(plain));
    isUndisturbed(traced, plain);
    Map<String, Long> perKind =
        Map.of(
            // and the one that finds out whether the shop is open
            "com.example.Orders.prime", REQUESTS / 3 + 1L,
            "com.example.Orders.invoice", REQUESTS / 3L,
            "com.example.Orders.later", REQUESTS / 3L);
    assertThat(spansPerMethod(traced)).isEqualTo(perKind);
  }

  @Test
  void sparkJob_givesTheSameLines() throws Exception {
    Result plain = plain("spark", WORDS);
    Result traced = Stranger.of(directory, "spark", WORDS).agentThatTells().run();

    assertThat(traced.out()).hasLineCount(85).isEqualTo(plain.out());
    isUnused(traced, plain, 1);
  }

  @Test
  void sparkJobWithListedMethods_hasASpanForEachCall() throws Exception {
    Result traced =
        Stranger.of(directory, "spark", WORDS)
            .agent()
            .environment(
                "ROLL_OTEL_METHODS",
                "com.example.Job[countByPairs,joinWithPrices,rank,wordsOf,upperCase]")
            .run();

    Result plain = plain("spark", WORDS);
    assertThat(traced.out()).isEqualTo(plain.out());
    isUndisturbed(traced, plain);
    assertThat(spansPerMethod(traced))
        .as("in the driver once, in the executor once per partition")
        .isEqualTo(
            Map.of(
                "com.example.Job.countByPairs", 1L,
                "com.example.Job.joinWithPrices", 1L,
                "com.example.Job.rank", 1L,
                "com.example.Job.wordsOf", 4L,
                "com.example.Job.upperCase", 4L));
  }

  private static Result plain(String name, int amount) throws Exception {
    if (!PLAIN.containsKey(name)) {
      PLAIN.put(name, Stranger.of(directory, name, amount).run());
    }
    return PLAIN.get(name);
  }

  /** There is no more output than without the agent. */
  private static void isUndisturbed(Result traced, Result plain) {
    assertThat(traced.said()).as("by the agent").isEmpty();
    saysTheSame(traced, plain);
  }

  /** The agent was in this many JVMs, and started nothing. */
  private static void isUnused(Result traced, Result plain, int jvms) throws IOException {
    assertThat(traced.said())
        .filteredOn(line -> line.startsWith("[roll-otel] enabled; "))
        .hasSize(jvms);
    assertThat(traced.said())
        .as("beside that, the account of nothing")
        .allMatch(
            line ->
                line.matches(
                    "\\[roll-otel\\] (enabled; |declared 0, woven 0, |no class was loaded that has a"
                        + " method with @Register).*"));
    saysTheSame(traced, plain);
    assertThat(files(traced, file -> file.contains("output/otlp"))).isEmpty();
  }

  private static void saysTheSame(Result traced, Result plain) {
    // In any order: several threads, and the load beside the application, speak at once.
    assertThat(Stranger.constantLines(traced))
        .containsExactlyInAnyOrderElementsOf(Stranger.constantLines(plain));
  }

  /** The checksums of the answers, one a line. */
  private static List<String> answers(Result result) throws IOException {
    return Files.readAllLines(result.directory().resolve("answers"));
  }

  /** The hash of each jar, by its path. */
  private static Map<String, String> jars(Result result) throws IOException {
    Map<String, String> jars = new TreeMap<>();
    for (String jar : files(result, file -> file.endsWith(".jar"))) {
      jars.put(jar, sha256(result.directory().resolve(jar)));
    }
    return jars;
  }

  private static String sha256(Path file) throws IOException {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
      return HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  private static List<String> files(Result result, Predicate<String> wanted) throws IOException {
    try (Stream<Path> files = Files.walk(result.directory())) {
      return files
          .map(file -> result.directory().relativize(file).toString())
          .filter(wanted)
          .toList();
    }
  }

  private static Map<Object, Long> spansPerMethod(Result result) throws IOException {
    return result.spans().stream()
        .collect(
            Collectors.groupingBy(
                span -> span.attributes().get("code.function.name"), Collectors.counting()));
  }
}
