// compiler: attribute-untraced

import io.rollotel.annotations.SpanAttribute;
import java.util.HashMap;
import java.util.Map;

class AttributeOfAnUntracedMethod {
  void train(DataProto payload, @SpanAttribute("step") int step) {}

  static class DataProto {
    final Map<String, Object> metaInfo = new HashMap<>();

    public Map<String, Object> getMetaInfo() {
      return metaInfo;
    }
  }
}
