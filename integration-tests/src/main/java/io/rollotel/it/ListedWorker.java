package io.rollotel.it;

import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import javax.tools.Tool;
import javax.tools.ToolProvider;

/** Methods without an annotation, and the same methods with one. */
@SuppressWarnings({
  "roll-otel:attribute-untraced",
  "roll-otel:meta-info-unused",
  "roll-otel:no-carrier"
})
public final class ListedWorker {

  private ListedWorker() {}

  /** All of them; with an argument, the jobs as well. */
  public static void main(String[] arguments) {
    Payload payload = Payload.traced();
    List<Payload> batch = List.of(payload, Payload.traced());
    Listed listed = new Listed();
    Function<Payload, Integer> bridged = listed;
    System.out.println(
        listed.train(payload, 1)
            + Listed.generate(batch)
            + listed.genMap(payload.getMetaInfo())
            + listed.genNothing()
            + listed.withoutContext(new Payload())
            + bridged.apply(payload)
            + listed.async(payload).join()
            + listed.outer(payload)
            + new Listed.Inner().inner(payload));
    thrown(() -> listed.fails(payload));
    Annotated annotated = new Annotated();
    bridged = annotated;
    System.out.println(
        annotated.train(payload, 1)
            + Annotated.generate(batch)
            + annotated.genMap(payload.getMetaInfo())
            + annotated.genNothing()
            + annotated.withoutContext(new Payload())
            + bridged.apply(payload)
            + annotated.async(payload).join()
            + annotated.outer(payload)
            + new Annotated.Inner().inner(payload));
    thrown(() -> annotated.fails(payload));
    both(payload);
    untraced(payload);
    if (arguments.length > 0) {
      jobs();
    }
  }

  private static void thrown(Runnable failing) {
    try {
      failing.run();
    } catch (IllegalStateException e) {
      System.out.println("caught " + e.getMessage());
    }
  }

  /** Methods named run of an application, of the JDK, and of classes that were generated. */
  private static void jobs() {
    new Job().run();
    Runnable lambda = () -> new Job().run();
    lambda.run();
    Task proxy =
        (Task)
            Proxy.newProxyInstance(
                Task.class.getClassLoader(),
                new Class<?>[] {Task.class},
                (object, method, values) -> {
                  new Job().run();
                  return null;
                });
    proxy.run();
    Executor direct = Runnable::run;
    CompletableFuture.runAsync(new Job(), direct).join();
    // A class of the JDK, and yet of the system class loader.
    Tool compiler = ToolProvider.getSystemJavaCompiler();
    OutputStream out = new ByteArrayOutputStream();
    System.out.println("compiled " + compiler.run(null, out, out, "-version"));
  }

  /** Its proxy lies in this package and this loader. */
  interface Task {
    void run();
  }

  private static final class Job implements Runnable {
    @Override
    public void run() {}
  }

  @Register(trace = true, name = "annotated and listed")
  private static void both(Payload payload) {}

  @Register
  private static void untraced(Payload payload) {}

  private static final class Listed implements Function<Payload, Integer> {

    int train(Payload payload, @SpanAttribute("step") int step) {
      return step;
    }

    static int generate(List<Payload> payloads) {
      return payloads.size();
    }

    int genMap(@MetaInfo Map<String, Object> metaInfo) {
      return metaInfo.size();
    }

    int genNothing() {
      return 1;
    }

    int withoutContext(Payload payload) {
      return payload.getMetaInfo().size();
    }

    @Override
    public Integer apply(Payload payload) {
      return 1;
    }

    CompletableFuture<Integer> async(Payload payload) {
      return CompletableFuture.completedFuture(1);
    }

    int outer(Payload payload) {
      return genNothing();
    }

    void fails(Payload payload) {
      throw new IllegalStateException("no gradient");
    }

    private static final class Inner {
      int inner(Payload payload) {
        return 1;
      }
    }
  }

  private static final class Annotated implements Function<Payload, Integer> {

    @Register(trace = true)
    int train(Payload payload, @SpanAttribute("step") int step) {
      return step;
    }

    @Register(trace = true)
    static int generate(List<Payload> payloads) {
      return payloads.size();
    }

    @Register(trace = true)
    int genMap(@MetaInfo Map<String, Object> metaInfo) {
      return metaInfo.size();
    }

    @Register(trace = true)
    int genNothing() {
      return 1;
    }

    @Register(trace = true)
    int withoutContext(Payload payload) {
      return payload.getMetaInfo().size();
    }

    @Override
    @Register(trace = true)
    public Integer apply(Payload payload) {
      return 1;
    }

    @Register(trace = true)
    CompletableFuture<Integer> async(Payload payload) {
      return CompletableFuture.completedFuture(1);
    }

    @Register(trace = true)
    int outer(Payload payload) {
      return genNothing();
    }

    @Register(trace = true)
    void fails(Payload payload) {
      throw new IllegalStateException("no gradient");
    }

    private static final class Inner {
      @Register(trace = true)
      int inner(Payload payload) {
        return 1;
      }
    }
  }
}
