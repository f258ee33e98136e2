// compiler: two-meta-info

import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.Register;
import java.util.Map;

class TwoMetaInfos {
  @Register(trace = true)
  void train(@MetaInfo Map<String, Object> first, @MetaInfo Map<String, Object> second) {}
}
