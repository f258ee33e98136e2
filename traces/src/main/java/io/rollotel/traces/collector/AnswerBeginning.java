package io.rollotel.traces.collector;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the beginning of an answer to the JDK's HTTP client, 64 KiB at most: a body may never end.
 * For one request.
 */
public final class AnswerBeginning implements BodyHandler<byte[]>, BodySubscriber<byte[]> {

  private static final int MOST_BYTES = 64 << 10;

  private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream(0);
  private volatile @Nullable Subscription rest;
  private volatile int status;

  /** Of no answer yet. */
  public AnswerBeginning() {}

  /**
   * One whose type is the interface: to verify a class that passes this class on, the JVM would
   * load the interface, and some programs have no {@code java.net.http}.
   */
  public static BodyHandler<byte[]> handler() {
    return new AnswerBeginning();
  }

  /** 0 before the head has come. */
  public int status() {
    return status;
  }

  /** What has come so far. */
  public byte[] bytes() {
    return kept.toByteArray();
  }

  @Override
  public BodySubscriber<byte[]> apply(ResponseInfo head) {
    status = head.statusCode();
    return this;
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return whole;
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    rest = subscription;
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> parts) {
    for (ByteBuffer part : parts) {
      byte[] bytes = new byte[Math.min(part.remaining(), MOST_BYTES - kept.size())];
      part.get(bytes);
      kept.writeBytes(bytes);
    }
    Subscription endless = rest;
    if (kept.size() == MOST_BYTES && endless != null) {
      endless.cancel();
      onComplete();
    }
  }

  @Override
  public void onError(Throwable failure) {
    whole.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    whole.complete(kept.toByteArray());
  }
}
