package io.rollotel.agent.weave;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles sources to class files in memory. */
public final class Fixtures {

  private Fixtures() {}

  /** The source of {@code fixtures.<name>} among the test resources. */
  static String resource(String name) throws IOException {
    try (InputStream in = Fixtures.class.getResourceAsStream("/fixtures/" + name + ".java")) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  /** Class files by class name. Each source names its package {@code fixtures} and one class. */
  public static Map<String, byte[]> compile(int release, String... sources) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
    Map<String, ByteArrayOutputStream> written = new TreeMap<>();
    List<JavaFileObject> units = new ArrayList<>();
    Arrays.stream(sources).forEach(source -> units.add(new Source(source)));
    List<String> options =
        List.of(
            "--release",
            Integer.toString(release),
            "-proc:none",
            "-nowarn",
            "-parameters",
            "-g",
            "-classpath",
            System.getProperty("java.class.path"));
    try (JavaFileManager files =
        new InMemory(compiler.getStandardFileManager(diagnostics, null, UTF_8), written)) {
      if (!compiler.getTask(null, files, diagnostics, options, null, units).call()) {
        throw new IllegalArgumentException(diagnostics.getDiagnostics().toString());
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    Map<String, byte[]> classes = new TreeMap<>();
    written.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
    return classes;
  }

  private static final class Source extends SimpleJavaFileObject {

    private final String text;

    Source(String text) {
      super(URI.create("memory:///fixtures/" + className(text) + ".java"), Kind.SOURCE);
      this.text = text;
    }

    private static String className(String text) {
      return text.replaceFirst("(?s).*?public [a-z ]*(?:class|interface) (\\w+).*", "$1");
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  private static final class InMemory extends ForwardingJavaFileManager<JavaFileManager> {

    private final Map<String, ByteArrayOutputStream> written;

    InMemory(JavaFileManager files, Map<String, ByteArrayOutputStream> written) {
      super(files);
      this.written = written;
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
      return new SimpleJavaFileObject(URI.create("memory:///" + className + ".class"), kind) {
        @Override
        public OutputStream openOutputStream() {
          ByteArrayOutputStream bytes = new ByteArrayOutputStream();
          written.put(className, bytes);
          return bytes;
        }
      };
    }
  }
}
