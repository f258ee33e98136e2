package io.rollotel.it.third;

import java.util.Map;

/** Its getter is declared by an abstract class of this package. */
public final class Batch extends HiddenBatch {

  /** A batch with this meta_info. */
  public Batch(Map<String, Object> metaInfo) {
    super(metaInfo);
  }
}
