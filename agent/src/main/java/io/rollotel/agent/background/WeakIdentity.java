package io.rollotel.agent.background;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * A key of a table for an object of the application's, by identity and held weakly: the object's
 * equals and hashCode are the application's, too, and are not called.
 */
public final class WeakIdentity extends WeakReference<Object> {

  private final int hash;

  /**
   * A key.
   *
   * @param queue receives the key once the object is gone; null for a key that only looks one up
   */
  public WeakIdentity(Object object, @Nullable ReferenceQueue<Object> queue) {
    super(object, queue);
    hash = System.identityHashCode(object);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (this == other) {
      return true;
    }
    Object mine = get();
    return mine != null && other instanceof WeakIdentity identity && identity.refersTo(mine);
  }
}
