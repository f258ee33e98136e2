package io.rollotel.examples.cartpole;

import io.rollotel.annotations.MetaInfoCarrier;
import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;

/**
 * The payload between driver and workers: a batch of named columns, and {@code meta_info} beside
 * it.
 *
 * <p>A payload is sent once. A second call needs a payload of its own, because each call's trace
 * context is written into its {@code meta_info}.
 */
final class DataProto implements MetaInfoCarrier, Serializable {
  private static final long serialVersionUID = 1;

  private final HashMap<String, double[]> batch = new HashMap<>();
  private final HashMap<String, Object> metaInfo = new HashMap<>();

  /** Adds a column to the batch; the array is kept, not copied. */
  DataProto with(String column, double... values) {
    batch.put(column, values);
    return this;
  }

  /** Adds an entry to the meta_info. */
  DataProto withMeta(String key, long value) {
    metaInfo.put(key, value);
    return this;
  }

  /** A new payload with the columns of both, without any meta_info. */
  DataProto union(DataProto other) {
    DataProto union = new DataProto();
    union.batch.putAll(batch);
    union.batch.putAll(other.batch);
    return union;
  }

  double[] column(String name) {
    double[] values = batch.get(name);
    if (values == null) {
      throw new IllegalArgumentException(
          "the batch has no column " + name + ", only " + batch.keySet());
    }
    return values;
  }

  long meta(String key) {
    if (metaInfo.get(key) instanceof Long value) {
      return value;
    }
    throw new IllegalArgumentException(
        "meta_info has no number " + key + ", only " + metaInfo.keySet());
  }

  @Override
  public Map<String, Object> metaInfo() {
    return metaInfo;
  }
}
