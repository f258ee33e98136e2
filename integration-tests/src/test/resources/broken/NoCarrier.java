// compiler: no-carrier

import io.rollotel.annotations.Register;

class NoCarrier {
  @Register(trace = true)
  void train(int step) {}
}
