// agent: calls suppressed because their payload brought no context: 1

import io.rollotel.annotations.Register;
import java.util.Map;

class GetterReturnsNull {
  static class Batch {
    public Map<String, Object> getMetaInfo() {
      return null;
    }
  }

  @Register(trace = true)
  static void train(Batch payload) {}

  public static void main(String[] arguments) {
    train(new Batch());
  }
}
