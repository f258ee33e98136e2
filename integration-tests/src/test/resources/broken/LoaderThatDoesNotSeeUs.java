// agent: stays untraced: its class loader does not see the agent

import io.rollotel.annotations.Register;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.HashMap;
import java.util.Map;

class LoaderThatDoesNotSeeUs {
  @Register(trace = true)
  static void train(DataProto payload) {}

  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 0) {
      URL here = LoaderThatDoesNotSeeUs.class.getProtectionDomain().getCodeSource().getLocation();
      String annotations = System.getProperty("java.class.path").split(java.io.File.pathSeparator)[1];
      URL[] urls = {here, new java.io.File(annotations).toURI().toURL()};
      try (URLClassLoader alone = new URLClassLoader(urls, null)) {
        alone
            .loadClass("LoaderThatDoesNotSeeUs$Inside")
            .getMethod("run")
            .invoke(null);
      }
    }
  }

  public static class Inside {
    public static void run() {
      train(sent());
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
