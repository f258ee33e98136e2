// compiler: generic-carrier

import io.rollotel.annotations.Register;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

class CarrierInAnOptional {
  @Register(trace = true)
  void train(Optional<DataProto> payload) {}

  static class DataProto {
    final Map<String, Object> metaInfo = new HashMap<>();

    public Map<String, Object> getMetaInfo() {
      return metaInfo;
    }
  }
}
