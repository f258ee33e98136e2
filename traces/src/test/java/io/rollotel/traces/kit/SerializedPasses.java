package io.rollotel.traces.kit;

import io.rollotel.traces.analysis.PartPasses;
import io.rollotel.traces.analysis.PartWork;
import io.rollotel.traces.analysis.TraceParts;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes as an engine with many JVMs makes them: each piece of work and its result are read from
 * bytes, and results are merged in pairs, in any order.
 */
public final class SerializedPasses implements PartPasses {

  private final TraceParts parts;
  private final Random random;

  public SerializedPasses(TraceParts parts, Random random) {
    this.parts = parts;
    this.random = random;
  }

  @Override
  public int parts() {
    return parts.count();
  }

  @Override
  public void more(int number) {}

  @Override
  public Spans read(int part, Spans numbers) throws IOException {
    return read(part, numbers, null);
  }

  private Spans read(int part, Spans numbers, @Nullable SpanTags tags) throws IOException {
    Spans spans = Spans.withNumbersOf(numbers, tags);
    parts.read(part, spans);
    return spans;
  }

  @Override
  public void read(Set<String> traceIds, CallJoins joins, Consumer<Span> sink) throws IOException {
    for (int part = 0; part < parts.count(); part++) {
      parts.read(part, id -> traceIds.contains(joins.traceId(id))).forEach(sink);
    }
  }

  @Override
  public <T> void each(Spans numbers, PartWork<T> work, T all) throws IOException {
    List<T> found = new ArrayList<>();
    for (int part = 0; part < parts.count(); part++) {
      PartWork<T> there = copy(work);
      T ofPart = there.none();
      there.add(ofPart, there.of(read(part, copy(numbers), there.tags())));
      found.add(copy(ofPart));
    }
    while (found.size() > 1) {
      T one = found.remove(random.nextInt(found.size()));
      T other = found.remove(random.nextInt(found.size()));
      copy(work).add(one, other);
      found.add(copy(one));
    }
    work.add(all, found.get(0));
  }

  @SuppressWarnings("unchecked") // as it was written
  private static <T> T copy(T object) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(object);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (T) in.readObject();
    } catch (ClassNotFoundException e) {
      throw new IOException(e);
    }
  }
}
