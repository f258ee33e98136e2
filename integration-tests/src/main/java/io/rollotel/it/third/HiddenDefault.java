package io.rollotel.it.third;

import java.util.Map;

interface HiddenDefault {

  Map<String, Object> values();

  default Map<String, Object> metaInfo() {
    return values();
  }
}
