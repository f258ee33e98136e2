package io.rollotel.processor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Types of libraries that the fixtures do not have. */
class FutureRuleTest {

  private @TempDir Path directory;

  /** RxJava's {@code Flowable} is known by the interface that it implements. */
  static Stream<Arguments> typesByCompiler() {
    Set<String> types = new TreeSet<>(FutureRule.FUTURE_LIKE);
    types.add("io.reactivex.Flowable");
    types.add("io.reactivex.rxjava3.core.Flowable");
    return types.stream()
        .flatMap(type -> Arrays.stream(Compiler.values()).map(one -> Arguments.of(type, one)));
  }

  @ParameterizedTest
  @MethodSource("typesByCompiler")
  void methodThatReturnsIt_isWarnedOfUnlessTheAgentSeesItsEnd(String type, Compiler compiler)
      throws Exception {
    List<Path> sources =
        Stream.of(
                library("org.reactivestreams.Publisher", ""),
                library(type, type.endsWith("Flowable") ? "org.reactivestreams.Publisher" : ""),
                source(
                    "Worker",
                    """
                    import io.rollotel.annotations.*;
                    class Worker {
                      @Register(trace = true)
                      %s train(@MetaInfo java.util.Map<String, Object> metaInfo) {
                        return null;
                      }
                    }
                    """
                        .formatted(type)))
            .flatMap(Function.identity())
            .distinct()
            .toList();
    List<String> said =
        compiler.compile(directory.resolve("classes"), List.of("-Xlint:-rawtypes"), sources);
    if (FutureRule.FUTURES.contains(type)) {
      assertThat(said).isEmpty();
    } else {
      assertThat(said).singleElement().asString().endsWith(" [roll-otel:future-end]");
    }
  }

  /** An empty type of that name, unless the JDK has it. */
  private Stream<Path> library(String type, String superInterface) throws IOException {
    if (type.startsWith("java.")) {
      return Stream.empty();
    }
    String name = type.substring(type.lastIndexOf('.') + 1);
    return source(
        type,
        "package %s; public interface %s %s {}"
            .formatted(
                type.substring(0, type.lastIndexOf('.')),
                name,
                superInterface.isEmpty() ? "" : "extends " + superInterface));
  }

  private Stream<Path> source(String type, String text) throws IOException {
    Path file = directory.resolve("source").resolve(type.replace('.', '/') + ".java");
    Files.createDirectories(file.getParent());
    return Stream.of(Files.writeString(file, text));
  }
}
