// compiler: hidden-carrier

import io.rollotel.annotations.Register;

class CarrierAsAnObject {
  @Register(trace = true)
  void train(Object payload) {}
}
