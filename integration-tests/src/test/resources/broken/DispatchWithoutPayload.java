// compiler: dispatch-without-carrier

import io.rollotel.annotations.Dispatch;

class DispatchWithoutPayload {
  @Dispatch
  void send(int rank) {}
}
