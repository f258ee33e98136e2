// agent: never loaded: HiddenClass$Worker.train(HiddenClass$DataProto)
// env: ROLL_OTEL_LOG=info

import io.rollotel.annotations.Register;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.util.HashMap;
import java.util.Map;

class HiddenClass {
  static class Worker implements Runnable {
    @Register(trace = true)
    void train(DataProto payload) {}

    @Override
    public void run() {
      train(sent());
    }
  }

  public static void main(String[] arguments) throws Exception {
    try (InputStream in = HiddenClass.class.getResourceAsStream("HiddenClass$Worker.class")) {
      Class<?> hidden =
          MethodHandles.lookup().defineHiddenClass(in.readAllBytes(), true).lookupClass();
      ((Runnable) hidden.getDeclaredConstructor().newInstance()).run();
    }
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
