package io.rollotel.it.third;

import java.util.Map;

abstract class HiddenBatch {

  private final Map<String, Object> metaInfo;

  HiddenBatch(Map<String, Object> metaInfo) {
    this.metaInfo = metaInfo;
  }

  public Map<String, Object> getMetaInfo() {
    return metaInfo;
  }
}
