package io.rollotel.agent.sdk;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.sdk.resources.Resource;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.settings.Settings;
import io.rollotel.agent.span.SpanResource;
import io.rollotel.traces.collector.Rendezvous;
import io.rollotel.traces.recording.HostName;
import org.jspecify.annotations.Nullable;

/** The resource of the SDK: the user's settings, and facts about the process. */
final class ProcessResource {

  private static final AttributeKey<String> SERVICE_NAME = AttributeKey.stringKey("service.name");

  /** The SDK's name for a service that has none. */
  private static final String UNKNOWN_SERVICE = "unknown_service:java";

  private final Attributes process;
  private final Settings settings;
  Resource last = Resource.empty();

  ProcessResource(Settings settings, Rendezvous rendezvous, String instance) {
    this.settings = settings;
    process = processAttributes(settings, rendezvous, instance);
  }

  Resource apply(Resource configured) {
    last = resource(configured, process, settings);
    return last;
  }

  /** The user's own attributes override ours. */
  private static Resource resource(Resource configured, Attributes process, Settings settings) {
    Resource merged = Resource.create(process).merge(configured);
    String name = configured.getAttribute(SERVICE_NAME);
    if (name == null || name.isBlank() || name.equals(UNKNOWN_SERVICE)) {
      merged = merged.merge(Resource.create(Attributes.of(SERVICE_NAME, serviceName(settings))));
    }
    return merged;
  }

  private static String serviceName(Settings settings) {
    String given = settings.otel("otel.service.name");
    if (given != null && !given.isBlank()) {
      return given;
    }
    String cluster = settings.environment("CLUSTER_NAME");
    if (cluster != null && !cluster.isBlank()) {
      return cluster;
    }
    String fallback = settings.fallbackServiceName();
    if (fallback != null) {
      return fallback;
    }
    // "com.acme.Main args" or "/path/app.jar args"
    String command = System.getProperty("sun.java.command", "").split(" ", 2)[0];
    String main = command.substring(command.lastIndexOf('/') + 1);
    if (!main.endsWith(".jar")) {
      main = main.substring(main.lastIndexOf('.') + 1);
    }
    return main.isEmpty() ? UNKNOWN_SERVICE : main;
  }

  private static Attributes processAttributes(
      Settings settings, Rendezvous rendezvous, String instance) {
    AttributesBuilder attributes =
        Attributes.builder()
            .put("service.instance.id", instance)
            .put("process.pid", ProcessHandle.current().pid())
            .put("host.name", HostName.get());
    String runId = rendezvous.knownRunId();
    if (runId != null) {
      attributes.put(SpanResource.RUN_ID, runId);
    }
    putNumber(attributes, "roll.rank", settings.environment("RANK"));
    putNumber(attributes, "roll.world_size", settings.environment("WORLD_SIZE"));
    String cluster = settings.environment("CLUSTER_NAME");
    if (cluster != null) {
      attributes.put("roll.cluster_name", cluster);
    }
    return attributes.build();
  }

  private static void putNumber(AttributesBuilder attributes, String key, @Nullable String value) {
    if (value != null) {
      try {
        attributes.put(key, Long.parseLong(value.trim()));
      } catch (NumberFormatException notARank) {
        AgentLog.info("not a number, left out of the resource: " + key + "=" + value);
      }
    }
  }
}
