package io.rollotel.it;

import com.google.common.util.concurrent.UncheckedExecutionException;
import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.CharBuffer;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Arguments of every type as attributes; methods that fail as expected and otherwise. Guava is not
 * on its class path.
 */
public final class AttributeWorker {

  private AttributeWorker() {}

  /** What is neither text nor a number. */
  private record Sample(int a) {}

  private enum Mode {
    TRAIN,
    EVAL {
      @Override
      public String toString() {
        return "evaluation";
      }
    }
  }

  /** Each of its methods throws. */
  private static final class HostileText implements CharSequence {
    @Override
    public int length() {
      throw new UnsupportedOperationException("length");
    }

    @Override
    public char charAt(int index) {
      throw new UnsupportedOperationException("charAt");
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      throw new UnsupportedOperationException("subSequence");
    }

    @Override
    public String toString() {
      throw new UnsupportedOperationException("toString");
    }
  }

  private static final class HostileList extends AbstractList<Object> {
    @Override
    public Object get(int index) {
      throw new UnsupportedOperationException("get");
    }

    @Override
    public int size() {
      return 3;
    }
  }

  /** Larger than any memory, so the agent may read only a little of it. */
  private static final class EndlessList extends AbstractList<Object> {
    @Override
    public Object get(int index) {
      if (index >= 1_000) {
        throw new UnsupportedOperationException("get of the list");
      }
      return index;
    }

    @Override
    public int size() {
      return Integer.MAX_VALUE;
    }
  }

  /** The same of a text. */
  private static final class EndlessText implements CharSequence {
    @Override
    public int length() {
      return Integer.MAX_VALUE;
    }

    @Override
    public char charAt(int index) {
      return 'e';
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return "e".repeat(end - start);
    }

    @Override
    public String toString() {
      throw new UnsupportedOperationException("toString of the text");
    }
  }

  private static final class HostileNumber extends Number {
    private static final long serialVersionUID = 1;

    @Override
    public int intValue() {
      throw new UnsupportedOperationException("intValue");
    }

    @Override
    public long longValue() {
      throw new UnsupportedOperationException("longValue");
    }

    @Override
    public float floatValue() {
      throw new UnsupportedOperationException("floatValue");
    }

    @Override
    public double doubleValue() {
      throw new UnsupportedOperationException("doubleValue");
    }
  }

  /** All situations. */
  @SuppressWarnings("ModifiedButNotUsed") // the spans show what the lists hold
  public static void main(String[] arguments) {
    primitives(true, (byte) -1, (short) -2, -3, -4L, 0.5f, 0.25, 'x');
    text("text", CharBuffer.wrap("built"), "t");
    boxed(true, (byte) 1, (short) 2, 3, 4L, 0.5f, 0.25, 'y', new BigDecimal("1.5"), 7);
    enums(Mode.TRAIN, Mode.EVAL, TimeUnit.SECONDS);
    arrays(
        new String[] {"a", null, "b"},
        new int[] {1, 2},
        new long[] {3},
        new double[] {0.5},
        new float[] {0.25f},
        new boolean[] {true, false},
        new byte[] {1},
        new char[] {'a', 'b'},
        new Mode[] {Mode.EVAL},
        new Integer[] {5, null});
    lists(
        List.of("a", "b"),
        List.of(1, 2L, (short) 3),
        Arrays.asList(1, 0.5),
        List.of(Mode.TRAIN, Mode.EVAL),
        List.of(true),
        Collections.nCopies(200, 7));
    leftOut(null, null, null, new Sample(1), Map.of("a", 1), List.of(), new int[0], new Sample[1]);
    mixed(List.of("a", 1), List.of(true, 2), List.of(new Sample(1), "b"), List.of(List.of("c")));
    repeated("first", "second", "blank");
    notANumber(Double.NaN, Double.POSITIVE_INFINITY, Long.MIN_VALUE, "");
    cut("x".repeat(5_000), "y".repeat(1_023) + "\uD83D\uDE00" + "z", List.of("w".repeat(2_000)));
    cutAtTen("x".repeat(11), "y".repeat(9) + "\uD83D\uDE00", "z".repeat(10));
    hostile(new HostileText(), new HostileList(), new HostileNumber(), "kept");
    List<Object> self = new ArrayList<>();
    self.add(self);
    self.add("self");
    cyclic(self);
    endless(new EndlessList(), new EndlessText());
    System.out.println("returned " + reassigned("before", 1));

    kindServer();
    kindClient();
    kindProducer();
    kindConsumer();
    named();
    System.out.println("caught " + failing("expected", AttributeWorker::expected));
    System.out.println("caught " + failing("subclass", AttributeWorker::subclass));
    System.out.println("caught " + failing("unrelated", AttributeWorker::unrelated));
    System.out.println("caught " + failing("error", AttributeWorker::error));
    System.out.println("caught " + failing("missing", AttributeWorker::missing));
  }

  private interface Body {
    void run() throws Exception;
  }

  private static String failing(String name, Body body) {
    try {
      body.run();
      return name + " nothing";
    } catch (Exception | LinkageError e) {
      return name + " " + e.getClass().getSimpleName();
    }
  }

  @Register(trace = true)
  private static void primitives(
      @SpanAttribute("boolean") boolean a,
      @SpanAttribute("byte") byte b,
      @SpanAttribute("short") short c,
      @SpanAttribute("int") int d,
      @SpanAttribute("long") long e,
      @SpanAttribute("float") float f,
      @SpanAttribute("double") double g,
      @SpanAttribute("char") char h) {}

  @Register(trace = true)
  private static void text(
      @SpanAttribute("String") String a,
      @SpanAttribute("CharSequence") CharSequence b,
      @SpanAttribute("Object") Object c) {}

  @Register(trace = true)
  private static void boxed(
      @SpanAttribute("Boolean") Boolean a,
      @SpanAttribute("Byte") Byte b,
      @SpanAttribute("Short") Short c,
      @SpanAttribute("Integer") Integer d,
      @SpanAttribute("Long") Long e,
      @SpanAttribute("Float") Float f,
      @SpanAttribute("Double") Double g,
      @SpanAttribute("Character") Character h,
      @SpanAttribute("BigDecimal") BigDecimal i,
      @SpanAttribute("Number") Number j) {}

  @Register(trace = true)
  private static void enums(
      @SpanAttribute("own") Mode a,
      @SpanAttribute("withToString") Mode b,
      @SpanAttribute("asObject") Object c) {}

  @Register(trace = true)
  private static void arrays(
      @SpanAttribute("String[]") @Nullable String[] a,
      @SpanAttribute("int[]") int[] b,
      @SpanAttribute("long[]") long[] c,
      @SpanAttribute("double[]") double[] d,
      @SpanAttribute("float[]") float[] e,
      @SpanAttribute("boolean[]") boolean[] f,
      @SpanAttribute("byte[]") byte[] g,
      @SpanAttribute("char[]") char[] h,
      @SpanAttribute("Mode[]") Mode[] i,
      @SpanAttribute("Integer[]") @Nullable Integer[] j) {}

  @Register(trace = true)
  private static void lists(
      @SpanAttribute("strings") List<String> a,
      @SpanAttribute("wholes") List<? extends Number> b,
      @SpanAttribute("numbers") List<? extends Number> c,
      @SpanAttribute("enums") List<Mode> d,
      @SpanAttribute("booleans") List<Boolean> e,
      @SpanAttribute("long") List<Integer> f) {}

  @Register(trace = true)
  private static void leftOut(
      @SpanAttribute("null") @Nullable String a,
      @SpanAttribute("nullList") @Nullable List<String> b,
      @SpanAttribute("nullArray") int @Nullable [] c,
      @SpanAttribute("record") Sample d,
      @SpanAttribute("map") Map<String, Integer> e,
      @SpanAttribute("emptyList") List<String> f,
      @SpanAttribute("emptyArray") int[] g,
      @SpanAttribute("records") @Nullable Sample[] h) {}

  @Register(trace = true)
  private static void mixed(
      @SpanAttribute("textAndNumber") List<?> a,
      @SpanAttribute("truthAndNumber") List<?> b,
      @SpanAttribute("recordAndText") List<?> c,
      @SpanAttribute("nested") List<?> d) {}

  @Register(trace = true)
  private static void repeated(
      @SpanAttribute("same") String a,
      @SpanAttribute("same") String b,
      @SpanAttribute(" ") String c) {}

  @Register(trace = true)
  private static void notANumber(
      @SpanAttribute("nan") double a,
      @SpanAttribute("infinite") double b,
      @SpanAttribute("min") long c,
      @SpanAttribute("empty") String d) {}

  @Register(trace = true)
  private static void cut(
      @SpanAttribute("plain") String a,
      @SpanAttribute("pair") String b,
      @SpanAttribute("list") List<String> c) {}

  @Register(trace = true)
  private static void cutAtTen(
      @SpanAttribute("plain") String a,
      @SpanAttribute("pair") String b,
      @SpanAttribute("whole") String c) {}

  @Register(trace = true)
  private static void hostile(
      @SpanAttribute("text") CharSequence a,
      @SpanAttribute("list") List<?> b,
      @SpanAttribute("number") Number c,
      @SpanAttribute("kept") String d) {}

  @Register(trace = true)
  private static void endless(
      @SpanAttribute("list") List<?> a, @SpanAttribute("text") CharSequence b) {}

  @Register(trace = true)
  private static void cyclic(@SpanAttribute("list") List<?> a) {}

  @Register(trace = true)
  private static String reassigned(@SpanAttribute("text") String a, @SpanAttribute("n") int n) {
    a = a + n;
    n = n + a.length();
    return a + n;
  }

  @Register(trace = true, kind = Register.Kind.SERVER)
  private static void kindServer() {}

  @Register(trace = true, kind = Register.Kind.CLIENT)
  private static void kindClient() {}

  @Register(trace = true, kind = Register.Kind.PRODUCER)
  private static void kindProducer() {}

  @Register(trace = true, kind = Register.Kind.CONSUMER)
  private static void kindConsumer() {}

  @Register(trace = true, name = "a name of its own")
  private static void named() {}

  @Register(
      trace = true,
      expected = {InterruptedException.class, IOException.class})
  private static void expected() throws IOException {
    throw new IOException("no more batches");
  }

  @Register(trace = true, expected = IOException.class)
  private static void subclass() throws IOException {
    throw new FileNotFoundException("no more batches");
  }

  @Register(trace = true, expected = IOException.class)
  private static void unrelated() {
    throw new IllegalStateException("no gradient");
  }

  @Register(trace = true, expected = Exception.class)
  private static void error() {
    throw new NoClassDefFoundError("gone");
  }

  @Register(
      trace = true,
      expected = {UncheckedExecutionException.class, IOException.class})
  private static void missing() throws IOException {
    throw new IOException(new AtomicInteger(1).toString());
  }
}
