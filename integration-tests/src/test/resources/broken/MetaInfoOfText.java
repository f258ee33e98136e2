// compiler: meta-info-type

import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.Register;

class MetaInfoOfText {
  @Register(trace = true)
  void train(@MetaInfo String metaInfo) {}
}
