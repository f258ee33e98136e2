package io.rollotel.processor;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import javax.annotation.processing.Processor;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The two compilers, with the processor. */
enum Compiler {
  JAVAC(ToolProvider.getSystemJavaCompiler(), "-Xlint:all,-processing,-options", "-implicit:none"),
  // Its own warnings do not matter here, but without any it would not print ours.
  ECJ(eclipses(), "-warn:-warningToken,raw,unused,serial,null,static-access,dead");

  private final JavaCompiler compiler;
  private final List<String> defaults;

  Compiler(JavaCompiler compiler, String... defaults) {
    this.compiler = compiler;
    this.defaults = List.of(defaults);
  }

  /** The JDK offers its own as a service as well. */
  private static JavaCompiler eclipses() {
    return ServiceLoader.load(JavaCompiler.class).stream()
        .filter(service -> service.type().getName().startsWith("org.eclipse."))
        .findFirst()
        .orElseThrow()
        .get();
  }

  /** What was said, in the order of the lines: "3 ERROR: text". */
  List<String> compile(Path output, List<String> options, List<Path> sources) throws Exception {
    return compile(output, options, sources, new RegisterProcessor());
  }

  List<String> compile(
      Path output, List<String> options, List<Path> sources, Processor... processors)
      throws Exception {
    Files.createDirectories(output);
    List<String> all = new ArrayList<>(defaults);
    // Without -s, ecj puts the sources that a processor makes into the working directory.
    all.addAll(List.of("-d", output.toString(), "-s", output.toString()));
    all.addAll(List.of("-classpath", System.getProperty("java.class.path")));
    if (options.stream().noneMatch(option -> option.equals("--release"))) {
      all.addAll(List.of("--release", "17"));
    }
    all.addAll(options);
    DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
    StringWriter log = new StringWriter();
    try (StandardJavaFileManager files =
        compiler.getStandardFileManager(said, Locale.ROOT, UTF_8)) {
      JavaCompiler.CompilationTask task =
          compiler.getTask(log, files, said, all, null, files.getJavaFileObjectsFromPaths(sources));
      task.setProcessors(List.of(processors));
      task.call();
    }
    return said.getDiagnostics().stream().flatMap(Compiler::line).toList();
  }

  private static Stream<String> line(Diagnostic<?> said) {
    Diagnostic.Kind kind =
        said.getKind() == Diagnostic.Kind.MANDATORY_WARNING
            ? Diagnostic.Kind.WARNING
            : said.getKind();
    return Stream.of(
        Math.max(0, said.getLineNumber()) + " " + kind + ": " + said.getMessage(Locale.ROOT));
  }
}
