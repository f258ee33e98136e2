package fixtures;

import io.rollotel.annotations.Register;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import lombok.Builder;
import lombok.Cleanup;
import lombok.NonNull;
import lombok.SneakyThrows;
import lombok.Synchronized;
import lombok.Value;

/** Each public static method without parameters is a situation. */
public class LombokKinds {

  private boolean closed;

  @SneakyThrows
  @Register(trace = true)
  int sneaky(boolean fail) {
    if (fail) {
      throw new IOException("sneaky");
    }
    return 1;
  }

  @Synchronized
  @Register(trace = true)
  boolean locked() {
    return Thread.holdsLock($lock);
  }

  @Register(trace = true)
  int notNull(@NonNull String text) throws Exception {
    @Cleanup AutoCloseable resource = () -> closed = true;
    return text.length();
  }

  /** A payload whose getter is Lombok's. */
  @Value
  @Builder
  static class Batch {
    int size;
    Map<String, Object> metaInfo;
  }

  @Register(trace = true)
  int ofBatch(Batch batch) {
    return batch.getSize();
  }

  public static boolean sneakyThrows() {
    LombokKinds kinds = new LombokKinds();
    try {
      kinds.sneaky(true);
      return false;
    } catch (Exception e) {
      return e instanceof IOException && kinds.sneaky(false) == 1;
    }
  }

  public static boolean lombokSynchronized() {
    LombokKinds kinds = new LombokKinds();
    return kinds.locked() && !Thread.holdsLock(kinds.$lock);
  }

  public static boolean nonNullAndCleanup() throws Exception {
    LombokKinds kinds = new LombokKinds();
    try {
      kinds.notNull(null);
      return false;
    } catch (NullPointerException e) {
      return kinds.notNull("a") == 1 && kinds.closed;
    }
  }

  public static boolean builderPayload() {
    return new LombokKinds().ofBatch(Batch.builder().size(2).build()) == 2;
  }

  public static boolean builderPayloadWithContext() {
    Map<String, Object> metaInfo = new HashMap<>();
    metaInfo.put(
        "_otel_ctx",
        Map.of("traceparent", "00-0123456789abcdef0123456789abcdef-00000000000000aa-01"));
    return new LombokKinds().ofBatch(Batch.builder().size(3).metaInfo(metaInfo).build()) == 3;
  }
}
