// agent: no call has made a span: methods woven: 1, called: 1, calls suppressed because their payload brought no context: 120

import io.rollotel.annotations.Register;
import java.util.HashMap;
import java.util.Map;

class SenderNeverInjects {
  @Register(trace = true)
  static void train(DataProto payload) {}

  public static void main(String[] arguments) {
    for (int i = 0; i < 120; i++) {
      train(new DataProto());
    }
  }

  static class DataProto {
    final Map<String, Object> metaInfo = new HashMap<>();

    public Map<String, Object> getMetaInfo() {
      return metaInfo;
    }
  }
}
