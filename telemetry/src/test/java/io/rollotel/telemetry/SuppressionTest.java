package io.rollotel.telemetry;

import static io.rollotel.telemetry.Payloads.remoteContext;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.rollotel.telemetry.internal.Suppression;
import org.junit.jupiter.api.Test;

/** Which contexts suppress tracing. */
class SuppressionTest extends SdkFixture {

  @Test
  void spanWithAParentOfItsOwn_isSuppressedByWhatIsCurrentUnlessReleased() {
    Context parent = remoteContext(TraceState.getDefault());
    assertThat(Suppression.isSpanSuppressed(parent)).isFalse();
    assertThat(Suppression.isSpanSuppressed(TraceContext.suppress(parent))).isTrue();
    try (Scope scope = TraceContext.suppress(Context.root()).makeCurrent()) {
      assertThat(Suppression.isSpanSuppressed(parent)).isTrue();
      assertThat(Suppression.isSpanSuppressed(Context.root())).isTrue();
      assertThat(Suppression.isSpanSuppressed(Suppression.release(parent))).isFalse();
    }
    Context again = TraceContext.suppress(Suppression.release(parent));
    assertThat(TraceContext.isSuppressed(Suppression.release(parent))).isFalse();
    assertThat(TraceContext.isSuppressed(again)).isTrue();
  }

  @Test
  void suppressTwice_givesTheSameContext() {
    Context suppressed = TraceContext.suppress(Context.root());
    assertThat(TraceContext.suppress(suppressed)).isSameAs(suppressed);
    assertThat(TraceContext.isSuppressed(Context.root())).isFalse();
  }
}
