package io.rollotel.annotations;

import java.util.Map;

/**
 * A payload with {@code meta_info}. ROLL calls it a {@code DataProto}.
 *
 * <p>A payload type need not implement this interface. The agent also finds a public method {@code
 * metaInfo()}, {@code getMetaInfo()}, {@code getMeta_info()} or {@code meta_info()} that takes no
 * parameters and returns a {@code Map}.
 */
public interface MetaInfoCarrier {

  /**
   * The payload's {@code meta_info}: the map itself, not a copy. The agent puts the sender's trace
   * context into it under the key {@code _otel_ctx}.
   */
  Map<String, Object> metaInfo();
}
