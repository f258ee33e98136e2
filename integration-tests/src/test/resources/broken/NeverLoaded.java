// agent: declared 1, woven 0, failed 0, never loaded 1, never called 0
// agent: never loaded: NeverLoaded$Worker.train(NeverLoaded$DataProto)
// env: ROLL_OTEL_LOG=info

import io.rollotel.annotations.Register;
import java.util.HashMap;
import java.util.Map;

class NeverLoaded {
  static class Worker {
    @Register(trace = true)
    void train(DataProto payload) {}
  }

  public static void main(String[] arguments) {}

  static class DataProto {
    final Map<String, Object> metaInfo = new HashMap<>();

    public Map<String, Object> getMetaInfo() {
      return metaInfo;
    }
  }
}
