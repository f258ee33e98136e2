// compiler: same-span-name

import io.rollotel.annotations.Register;
import java.util.HashMap;
import java.util.Map;

class SameName {
  @Register(trace = true)
  void train(DataProto payload) {}

  @Register(trace = true)
  void train(DataProto payload, int step) {}

  static class DataProto {
    final Map<String, Object> metaInfo = new HashMap<>();

    public Map<String, Object> getMetaInfo() {
      return metaInfo;
    }
  }
}
