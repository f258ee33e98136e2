package io.rollotel.it;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.SettableFuture;
import io.rollotel.annotations.Register;
import java.util.concurrent.CompletableFuture;

/**
 * Returns one future, which never completes, from many calls. Takes its kind and how many calls.
 */
@SuppressWarnings({"FutureReturnValueIgnored", "roll-otel:no-carrier"})
public final class SharedFutureWorker {

  private static final CompletableFuture<String> STAGE = new CompletableFuture<>();
  private static final SettableFuture<String> GUAVA = SettableFuture.create();

  private SharedFutureWorker() {}

  /** Calls as often as it is told. */
  public static void main(String[] arguments) {
    int calls = Integer.parseInt(arguments[1]);
    for (int i = 0; i < calls; i++) {
      if (arguments[0].equals("guava")) {
        guava();
      } else {
        stage();
      }
    }
  }

  @Register(trace = true)
  private static CompletableFuture<String> stage() {
    return STAGE;
  }

  @Register(trace = true)
  private static ListenableFuture<String> guava() {
    return GUAVA;
  }
}
