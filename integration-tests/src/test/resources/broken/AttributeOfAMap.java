// compiler: attribute-type

import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;
import java.util.HashMap;
import java.util.Map;

class AttributeOfAMap {
  @Register(trace = true)
  void train(DataProto payload, @SpanAttribute("sizes") Map<String, Integer> sizes) {}

  static class DataProto {
    final Map<String, Object> metaInfo = new HashMap<>();

    public Map<String, Object> getMetaInfo() {
      return metaInfo;
    }
  }
}
