// compiler: payload-getter

import io.rollotel.annotations.Register;

class GetterReturnsText {
  static class Batch {
    public String getMetaInfo() {
      return "";
    }
  }

  @Register(trace = true)
  void train(Batch payload) {}
}
