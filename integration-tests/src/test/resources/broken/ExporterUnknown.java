// agent: OTEL_TRACES_EXPORTER: the agent supports only otlp and none, not [zipkin]
// env: OTEL_TRACES_EXPORTER=zipkin

import io.rollotel.annotations.Register;
import java.util.HashMap;
import java.util.Map;

class ExporterUnknown {
  @Register(trace = true)
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
