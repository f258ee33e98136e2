package io.rollotel.agent.span;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.log.Stderr;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FutureCompletionTest {

  private static final int CALLS = 20_000;

  private final AtomicInteger ended = new AtomicInteger();

  private void end(@Nullable Throwable thrown) {
    ended.incrementAndGet();
  }

  @Test
  void oneFutureOfVeryManyCalls_keepsSomeThousandSpansAndTheOthersEndAtReturn() throws Throwable {
    CompletableFuture<String> shared = new CompletableFuture<>();
    try (Stderr stderr = new Stderr()) {
      for (int i = 0; i < CALLS; i++) {
        FutureCompletion.STAGE.whenComplete(shared, this::end);
      }
      assertThat(stderr.lines())
          .singleElement()
          .asString()
          .contains("traced calls return one future again and again");
    }
    assertThat(shared.getNumberOfDependents()).isBetween(4_000, 5_000);
    assertThat(ended).hasValue(CALLS - shared.getNumberOfDependents());
    shared.complete("done");
    assertThat(ended).hasValue(CALLS);
    FutureCompletion.STAGE.whenComplete(shared, this::end);
    assertThat(ended).hasValue(CALLS + 1);
  }

  /** Its class is the application's, and may compare as it likes. */
  private static final class Alike extends CompletableFuture<String> {

    @Override
    public int hashCode() {
      return 0;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      throw new UnsupportedOperationException("not to be compared");
    }
  }

  @Test
  void futureOfAHostileClass_isToldFromOthersByIdentity() throws Throwable {
    Alike shared = new Alike();
    for (int i = 0; i < CALLS; i++) {
      FutureCompletion.STAGE.whenComplete(shared, this::end);
    }
    int waiting = CALLS - ended.get();
    assertThat(waiting).isBetween(4_000, 5_000);
    Alike other = new Alike();
    FutureCompletion.STAGE.whenComplete(other, this::end);
    assertThat(ended).hasValue(CALLS - waiting);
    other.complete("done");
    assertThat(ended).hasValue(CALLS - waiting + 1);
    shared.complete("done");
    assertThat(ended).hasValue(CALLS + 1);
  }

  /** A minimal stage can be asked nothing. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void veryManyFutures_areAllWaitedFor(boolean areMinimal) throws Throwable {
    List<CompletableFuture<String>> futures = new ArrayList<>();
    for (int i = 0; i < CALLS; i++) {
      CompletableFuture<String> future = new CompletableFuture<>();
      futures.add(future);
      Object returned = areMinimal ? future.minimalCompletionStage() : future;
      FutureCompletion.STAGE.whenComplete(returned, this::end);
    }
    assertThat(ended).hasValue(0);
    futures.forEach(future -> future.complete("done"));
    assertThat(ended).hasValue(CALLS);
  }

  @Test
  void futuresThatTakeNoListener_doNotCountAsWaitedFor() throws Throwable {
    CompletableFuture<String> refusing =
        new CompletableFuture<>() {
          @Override
          public CompletableFuture<String> whenComplete(
              BiConsumer<? super String, ? super Throwable> listener) {
            throw new UnsupportedOperationException();
          }
        };
    int refused = 0;
    for (int i = 0; i < CALLS; i++) {
      try {
        FutureCompletion.STAGE.whenComplete(refusing, this::end);
      } catch (UnsupportedOperationException expected) {
        refused++;
      }
    }
    assertThat(refused).isEqualTo(CALLS);
    CompletableFuture<String> ofTheApplication = new CompletableFuture<>();
    for (int i = 0; i < 5_000; i++) {
      CompletableFuture<Void> unused = ofTheApplication.thenRun(() -> {});
    }
    for (int i = 0; i < 100; i++) {
      FutureCompletion.STAGE.whenComplete(ofTheApplication, this::end);
    }
    assertThat(ended).hasValue(0);
    ofTheApplication.complete("done");
    assertThat(ended).hasValue(100);
  }
}
