package io.rollotel.traces.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import io.rollotel.traces.collector.CannotListenException;
import io.rollotel.traces.collector.CollectorSettings;
import io.rollotel.traces.collector.CollectorTable;
import io.rollotel.traces.collector.Rendezvous;
import io.rollotel.traces.file.FileNames;
import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.file.WriteFailure;
import io.rollotel.traces.recording.HostName;
import io.rollotel.traces.report.PlainText;
import io.rollotel.traces.settings.Setting;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code collect}: a collector as a separate process. */
@Command(
    name = "collect",
    customSynopsis =
        "collect [-hV] [--dir=DIR] [--grpc=PORT] [--http=PORT] [--host=ADDRESS] [--token=TOKEN]"
            + " [--rotate-lines=N] [--gzip] [--fsync]"
            + " [--tls-cert=FILE --tls-key=FILE [--client-ca=FILE]]",
    description = {
      "Receives OTLP and appends it to DIR/traces/traces.jsonl until it is stopped.",
      "JVMs with the agent and the output directory DIR find it automatically."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class Collect implements Callable<Integer> {

  private CommandSpec spec = CommandSpec.create();

  /** Known once the command is called. */
  private Path dir = Path.of("");

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "The output directory; default: " + Main.DEFAULT_DIR)
  private @Nullable Path givenDir;

  @Option(
      names = "--grpc",
      paramLabel = "PORT",
      defaultValue = "4317",
      description =
          "The port for OTLP/gRPC; 0 for any free port, none to disable gRPC; default:"
              + " ${DEFAULT-VALUE}")
  private String grpcPort = "";

  @Option(
      names = "--http",
      paramLabel = "PORT",
      defaultValue = "4318",
      description = "The port for OTLP/HTTP; 0 for any free port; default: ${DEFAULT-VALUE}")
  private int httpPort;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "The address to listen on; default: ${DEFAULT-VALUE}")
  private InetAddress host = InetAddress.getLoopbackAddress();

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      description =
          "The bearer token that senders must send; default: none on a loopback address,"
              + " otherwise a random one")
  private @Nullable String token;

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description = "The server's certificate, in PEM. Encrypts all connections")
  private @Nullable Path tlsCertificate;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "The private key of the certificate, in PEM")
  private @Nullable Path tlsKey;

  @Option(
      names = "--client-ca",
      paramLabel = "FILE",
      description =
          "The certificates that sign the senders' certificates. Senders without one"
              + " are refused")
  private @Nullable Path clientCa;

  @Option(
      names = "--rotate-lines",
      paramLabel = "N",
      description = "Starts a new file after this many lines; ROLL does so after 500")
  private @Nullable Long rotateLines;

  @Option(names = "--gzip", description = "Compresses files that are complete")
  private boolean isGzip;

  @Option(names = "--fsync", description = "Acknowledges requests only when they are on disk; slow")
  private boolean isFsync;

  // Made by picocli.
  Collect() {}

  /** Called by picocli. */
  @Spec
  void setSpec(CommandSpec spec) {
    this.spec = spec;
    spec.usageMessage()
        .footer(
            "",
            CollectorTable.entries().stream()
                .filter(setting -> setting.readers().contains(Setting.Reader.COLLECTOR))
                .map(Setting::name)
                .collect(
                    joining(
                        ", _",
                        "These environment variables set limits, encryption, and how files are"
                            + " written: "
                            + Setting.VARIABLE_PREFIX,
                        ".")));
  }

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    CollectorSettings set = settings(err);
    dir = Main.outputDir(spec, givenDir);
    checkFolder();
    Rendezvous rendezvous =
        new Rendezvous(
            dir.toFile().getAbsoluteFile(),
            true,
            false, // the outcome of a failed start is reported here
            given("RUN_ID"),
            set,
            line -> err.println(PlainText.escaped(line)), // text from senders cannot add lines
            line -> {});
    CountDownLatch isPrinted = new CountDownLatch(1);
    Thread atExit = new Thread(() -> stop(rendezvous, out, isPrinted), "roll-otel-stop");
    Rendezvous.Collector collector = start(rendezvous, err);
    if (collector == null) {
      rendezvous.close();
      return Main.FAILED;
    }
    SmallHeap.start();
    out.println("OTLP/HTTP on " + collector.endpoint());
    URI grpc = collector.grpc();
    if (grpc != null) {
      out.println("OTLP/gRPC on " + grpc.getAuthority());
    }
    if (host.isAnyLocalAddress()) {
      out.println("on every address of this host, " + HostName.get());
    }
    if (!collector.token().isEmpty() && token == null) {
      out.println("senders need the header Authorization: Bearer " + collector.token());
    }
    out.println("writes to " + dir.resolve("traces").resolve("traces.jsonl"));
    if (set.page().isServed()) {
      out.println("shows the run on " + collector.endpoint() + "/" + pageToken(collector));
    }
    out.flush();
    Runtime.getRuntime().addShutdownHook(atExit);
    try {
      isPrinted.await(); // for ever: a signal ends the JVM
    } catch (InterruptedException e) {
      Runtime.getRuntime().removeShutdownHook(atExit);
      stop(rendezvous, out, isPrinted);
    }
    return 0;
  }

  /** Checked before taking the lock, which would report it as a driver's. */
  private void checkFolder() throws IOException {
    String refusal = FileNames.refusal(dir.toFile());
    if (refusal != null) {
      throw new IOException(refusal + ". Choose another directory with --dir.");
    }
    Path folder = dir.resolve("traces");
    String reason = "no permission";
    try {
      Files.createDirectories(folder);
      if (Files.isWritable(folder)) {
        return;
      }
    } catch (IOException e) {
      reason = WriteFailure.reason(folder, e);
    }
    throw new IOException(
        "Cannot write in " + folder + ": " + reason + ". Choose another directory with --dir.");
  }

  /** Null if it cannot collect, which is reported. */
  private Rendezvous.@Nullable Collector start(Rendezvous rendezvous, PrintWriter err) {
    String other = rendezvous.otherDriver();
    if (other != null) {
      err.println(
          "A directory has one collector, and " + other + " already collects in " + dir + ".");
      err.println("Stop it, or choose another directory with --dir.");
      return null;
    }
    try {
      return rendezvous.collectorAlone();
    } catch (CannotListenException e) {
      cannotListen(e, err);
    } catch (IOException e) {
      String message = e.getMessage();
      err.println("The collector cannot start: " + (message == null ? e.toString() : message));
    }
    return null;
  }

  private void cannotListen(CannotListenException e, PrintWriter err) {
    int port = e.address().getPort();
    String option = port == httpPort ? "--http" : "--grpc";
    if (!e.isTaken()) {
      err.println("The collector " + e.getMessage() + ".");
      err.println(
          "--host takes an address of this host, and " + option + " a port of at least 1024.");
      return;
    }
    String holder = PortHolder.inWords(port);
    err.println(
        "Port "
            + port
            + " of "
            + host.getHostAddress()
            + " is taken"
            + (holder == null ? "." : " by process " + holder + "."));
    err.println(
        "Choose another with "
            + option
            + "=PORT, or any free one with "
            + option
            + "=0; "
            + (holder == null
                ? "'lsof -i :" + port + "' or 'ss -ltnp' shows which process uses it."
                : "or stop that process."));
  }

  /** The page needs a token from this host only if one was set. The user's own is not printed. */
  private String pageToken(Rendezvous.Collector collector) {
    boolean isForThisHost = host.isLoopbackAddress() && token == null;
    if (isForThisHost || collector.token().isEmpty()) {
      return "";
    }
    return "?token=" + (token == null ? URLEncoder.encode(collector.token(), UTF_8) : "TOKEN");
  }

  private static void stop(Rendezvous rendezvous, PrintWriter out, CountDownLatch isPrinted) {
    rendezvous.close();
    out.println(rendezvous.summary());
    out.flush();
    isPrinted.countDown();
  }

  private CollectorSettings settings(PrintWriter err) {
    CollectorSettings set =
        CollectorSettings.read(name -> name.startsWith("TLS_") ? null : given(name), err::println);
    FileRules rules = set.rules();
    if (httpPort != 0 && grpcPort.equals(Integer.toString(httpPort))) {
      throw new ParameterException(spec.commandLine(), "--http and --grpc need different ports.");
    }
    if (token != null && !token.matches("[!-~]*")) { // headers carry nothing else
      throw new ParameterException(
          spec.commandLine(),
          "--token takes ASCII letters, digits and signs, without blanks: senders could send no"
              + " other.");
    }
    if (rotateLines != null && rotateLines < 0) {
      throw new ParameterException(
          spec.commandLine(), "--rotate-lines takes a number of lines, or 0 for any number.");
    }
    String wanted = token != null ? token : host.isLoopbackAddress() ? "" : null;
    return new CollectorSettings(
        CollectorSettings.Kind.EMBEDDED,
        host,
        port("--http", httpPort, ""),
        grpcPort.equals("none")
            ? CollectorSettings.NONE
            : port("--grpc", number(grpcPort), ", or none"),
        wanted,
        set.limits(),
        new FileRules(
            rules.maxBytes(),
            rotateLines != null ? rotateLines : rules.maxLines(),
            isGzip || rules.isGzip(),
            isFsync || rules.isFsync()),
        set.page(),
        tls(CollectorSettings.readTls(Collect::given, err::println)),
        set.runBytes(),
        set.kept());
  }

  /**
   * From the options, completed by the settings. An incomplete configuration is an error and does
   * not turn TLS off.
   */
  private CollectorSettings.@Nullable Tls tls(CollectorSettings.TlsParts set) {
    CollectorSettings.TlsParts given =
        new CollectorSettings.TlsParts(tlsCertificate, tlsKey, clientCa).or(set);
    CollectorSettings.Tls tls = given.whole();
    if (tls == null && !given.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(),
          "Encryption takes both --tls-cert and --tls-key, or ROLL_OTEL_TLS_CERT and"
              + " ROLL_OTEL_TLS_KEY.");
    }
    return tls;
  }

  private static @Nullable String given(String setting) {
    String value = System.getenv(Setting.VARIABLE_PREFIX + setting);
    return value == null || value.isBlank() ? null : value.trim();
  }

  private static int number(String text) {
    return text.matches("\\d{1,5}") ? Integer.parseInt(text) : -1;
  }

  private int port(String option, int port, String orElse) {
    if (port < 0 || port > 65_535) {
      throw new ParameterException(
          spec.commandLine(), option + " takes a port from 0 to 65535" + orElse + ".");
    }
    return port;
  }
}
