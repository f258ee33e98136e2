// compiler: future-end

import io.rollotel.annotations.Register;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

class FutureWithoutAnEnd {
  @Register(trace = true)
  Future<String> train(DataProto payload) {
    return CompletableFuture.completedFuture("");
  }

  static class DataProto {
    final Map<String, Object> metaInfo = new HashMap<>();

    public Map<String, Object> getMetaInfo() {
      return metaInfo;
    }
  }
}
