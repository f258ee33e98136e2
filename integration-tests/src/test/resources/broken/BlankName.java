// compiler: span-name

import io.rollotel.annotations.Register;
import java.util.HashMap;
import java.util.Map;

class BlankName {
  @Register(trace = true, name = " ")
  void train(DataProto payload) {}

  static class DataProto {
    final Map<String, Object> metaInfo = new HashMap<>();

    public Map<String, Object> getMetaInfo() {
      return metaInfo;
    }
  }
}
