// compiler: override

import io.rollotel.annotations.Register;
import java.util.HashMap;
import java.util.Map;

class OverrideWithoutAnnotation {
  static class Base {
    @Register(trace = true)
    void train(DataProto payload) {}
  }

  static class Derived extends Base {
    @Override
    void train(DataProto payload) {}
  }

  static class DataProto {
    final Map<String, Object> metaInfo = new HashMap<>();

    public Map<String, Object> getMetaInfo() {
      return metaInfo;
    }
  }
}
