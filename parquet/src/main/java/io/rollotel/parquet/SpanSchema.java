package io.rollotel.parquet;

import java.util.Map;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;

/**
 * The columns, as docs/parquet.md describes them: none is ever renamed or given another type.
 * Readers find them by name, and tolerate missing ones.
 */
final class SpanSchema {

  /** In the file's metadata: the version of this schema. It increases when a column is added. */
  static final String VERSION_KEY = "roll_otel.schema_version";

  static final String VERSION = "1";

  /** The resource attributes with their own columns, with the attribute's key. */
  static final Map<String, String> OF_RESOURCE =
      Map.of(
          "service_name", "service.name",
          "service_namespace", "service.namespace",
          "service_version", "service.version",
          "service_instance_id", "service.instance.id",
          "host_name", "host.name",
          "roll_run_id", "roll.run_id",
          "roll_cluster_name", "roll.cluster_name",
          "roll_rank", "roll.rank");

  /** The one of these that is a number. */
  static final String PROCESS_PID = "process_pid";

  static final String PROCESS_PID_KEY = "process.pid";

  private static final String ATTRIBUTES =
      """
      required group attributes (MAP) {
        repeated group key_value {
          required binary key (STRING);
          required group value {
            optional binary string_value (STRING);
            optional boolean bool_value;
            optional int64 int_value;
            optional double double_value;
            optional binary bytes_value;
            optional binary json_value (STRING);
          }
        }
      }
      optional int64 dropped_attributes_count;
      """;

  static final MessageType SPAN =
      MessageTypeParser.parseMessageType(
          """
          message span {
            required binary trace_id (STRING);
            required binary span_id (STRING);
            optional binary parent_span_id (STRING);
            optional binary trace_state (STRING);
            optional int64 flags;
            required binary name (STRING);
            required binary kind (STRING);
            optional int64 start_time (TIMESTAMP(MICROS,true));
            required int64 start_time_unix_nano;
            required int64 end_time_unix_nano;
            optional int64 duration_nano;
            required binary status_code (STRING);
            optional binary status_message (STRING);
            required double adjusted_count;
            optional binary service_name (STRING);
            optional binary service_namespace (STRING);
            optional binary service_version (STRING);
            optional binary service_instance_id (STRING);
            optional binary host_name (STRING);
            optional int64 process_pid;
            optional binary roll_run_id (STRING);
            optional binary roll_cluster_name (STRING);
            optional binary roll_rank (STRING);
            optional int64 roll_queue_ns;
            optional int64 global_step;
            optional binary resource_attributes (STRING);
            optional int64 resource_dropped_attributes_count;
            optional binary resource_entity_refs (STRING);
            optional binary resource_schema_url (STRING);
            optional binary scope_name (STRING);
            optional binary scope_version (STRING);
            optional binary scope_attributes (STRING);
            optional int64 scope_dropped_attributes_count;
            optional binary scope_schema_url (STRING);
          """
              + ATTRIBUTES
              + """
                required group events (LIST) {
                  repeated group list {
                    required group element {
                      required int64 time_unix_nano;
                      required binary name (STRING);
              """
              + ATTRIBUTES
              + """
                    }
                  }
                }
                optional int64 dropped_events_count;
                required group links (LIST) {
                  repeated group list {
                    required group element {
                      required binary trace_id (STRING);
                      required binary span_id (STRING);
                      optional binary trace_state (STRING);
                      optional int64 flags;
              """
              + ATTRIBUTES
              + """
                    }
                  }
                }
                optional int64 dropped_links_count;
              }
              """);

  private SpanSchema() {}
}
