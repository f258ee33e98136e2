// compiler: attribute-key

import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;
import java.util.HashMap;
import java.util.Map;

class AttributeWithoutKey {
  @Register(trace = true)
  void train(DataProto payload, @SpanAttribute("") int step) {}

  static class DataProto {
    final Map<String, Object> metaInfo = new HashMap<>();

    public Map<String, Object> getMetaInfo() {
      return metaInfo;
    }
  }
}
