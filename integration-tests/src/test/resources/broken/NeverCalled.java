// agent: declared 1, woven 1, failed 0, never loaded 0, never called 1; 0 spans exported, 0 dropped
// agent: never called: NeverCalled.train(NeverCalled$DataProto, int)
// env: ROLL_OTEL_LOG=info

import io.rollotel.annotations.Register;
import java.util.HashMap;
import java.util.Map;

class NeverCalled {
  @Register(trace = true)
  static void train(DataProto payload, int step) {}

  static void train(DataProto payload) {}

  public static void main(String[] arguments) {
    train(sent());
  }

  static class DataProto {
    final Map<String, Object> metaInfo = new HashMap<>();

    public Map<String, Object> getMetaInfo() {
      return metaInfo;
    }
  }

  static DataProto sent() {
    DataProto payload = new DataProto();
    Map<String, Object> context = new HashMap<>();
    context.put("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    payload.metaInfo.put("_otel_ctx", context);
    return payload;
  }
}
