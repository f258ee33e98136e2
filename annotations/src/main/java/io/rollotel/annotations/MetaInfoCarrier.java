package io.rollotel.annotations;

import java.util.Map;

/**
 * A payload that carries {@code meta_info}: what ROLL calls a {@code DataProto}.
 *
 * <p>A payload type need not implement it: a public method {@code metaInfo()}, {@code
 * getMetaInfo()} or {@code getMeta_info()} without parameters that returns a {@code Map} is found
 * as well.
 */
public interface MetaInfoCarrier {

  /**
   * The payload's meta_info, the map itself and not a copy: a sender's trace context is put into it
   * under the key {@code _otel_ctx}.
   */
  Map<String, Object> metaInfo();
}
