package io.rollotel.agent.span;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.DelegatingSpanData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The resource of this process's spans. An SDK's resource cannot change, but a worker may learn its
 * run only from the first call that it receives. So the run's id is added during export, before the
 * first span. Any thread.
 */
public final class SpanResource {

  /** Which run. */
  public static final AttributeKey<String> RUN_ID = AttributeKey.stringKey("roll.run_id");

  private final Resource atBuild;
  private final @Nullable Supplier<String> runId;
  private final Consumer<Resource> whenWhole;

  /** Written under this. */
  private volatile Resource now;

  private SpanResource(
      Resource atBuild, @Nullable Supplier<String> runId, Consumer<Resource> whenWhole) {
    this.atBuild = atBuild;
    this.runId = runId;
    this.whenWhole = whenWhole;
    now = atBuild;
  }

  /** A complete resource. */
  public static SpanResource whole(Resource resource) {
    return new SpanResource(resource, null, none -> {});
  }

  /**
   * One without the run's id.
   *
   * @param atBuild the SDK's resource
   * @param runId determines the run, once
   * @param whenWhole receives the resource with the run's id
   */
  public static SpanResource withoutRun(
      Resource atBuild, Supplier<String> runId, Consumer<Resource> whenWhole) {
    return new SpanResource(atBuild, runId, whenWhole);
  }

  /** As known now. */
  public Resource get() {
    return now;
  }

  /** For the export: with the run's id, which is determined now if it was unknown so far. */
  public Resource decided() {
    Resource known = now;
    return runId == null || known != atBuild ? known : decide(runId);
  }

  private synchronized Resource decide(Supplier<String> id) {
    if (now == atBuild) {
      Resource whole = atBuild.merge(Resource.create(Attributes.of(RUN_ID, id.get())));
      now = whole;
      whenWhole.accept(whole);
    }
    return now;
  }

  /** A span for the export. */
  public SpanData complete(SpanData span) {
    Resource whole = decided();
    return whole == atBuild || span.getResource() != atBuild ? span : new InRun(span, whole);
  }

  /** A span of the SDK's, which has the resource that the SDK was built with. */
  private static final class InRun extends DelegatingSpanData {

    private final Resource resource;

    InRun(SpanData span, Resource resource) {
      super(span);
      this.resource = resource;
    }

    @Override
    public Resource getResource() {
      return resource;
    }
  }
}
