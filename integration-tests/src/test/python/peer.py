"""A Python process of a mixed pipeline: python peer.py driver|worker <payload.json> <traces.jsonl>

The driver makes a span, injects it into the payload and writes the payload; the worker reads a
payload and makes a span of what came in it. Each appends its span to the traces file and prints the
span's ids.
"""

import json
import sys

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult

import roll


class FileExporter(SpanExporter):
    """OTLP/JSON, a request a line."""

    def __init__(self, path):
        self.path = path

    def export(self, spans):
        with open(self.path, "a", encoding="utf-8") as out:
            for span in spans:
                out.write(json.dumps(self.request(span)) + "\n")
        return SpanExportResult.SUCCESS

    @staticmethod
    def request(span):
        made = {
            "traceId": trace.format_trace_id(span.context.trace_id),
            "spanId": trace.format_span_id(span.context.span_id),
            "parentSpanId": trace.format_span_id(span.parent.span_id) if span.parent else "",
            "name": span.name,
            "kind": span.kind.value + 1,
            "startTimeUnixNano": str(span.start_time),
            "endTimeUnixNano": str(span.end_time),
        }
        scope = {"name": span.instrumentation_scope.name}
        attributes = [
            {"key": key, "value": {"stringValue": str(value)}}
            for key, value in span.resource.attributes.items()
        ]
        return {
            "resourceSpans": [
                {
                    "resource": {"attributes": attributes},
                    "scopeSpans": [{"scope": scope, "spans": [made]}],
                }
            ]
        }


def printed(span):
    context = span.get_span_context()
    print(trace.format_trace_id(context.trace_id), trace.format_span_id(context.span_id))


def drive(path):
    meta_info = {"global_step": 7, "is_offload": False, "lr": 0.5, "none": None}
    with roll.get_tracer().start_as_current_span("pipeline_step") as span:
        roll.inject(meta_info)
        printed(span)
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"meta_info": meta_info}, out)


@roll.register(traced=True)
def generate(payload):
    printed(trace.get_current_span())


def main(role, path, traces):
    provider = TracerProvider(resource=Resource({"service.name": f"python-{role}"}))
    provider.add_span_processor(SimpleSpanProcessor(FileExporter(traces)))
    trace.set_tracer_provider(provider)
    if role == "driver":
        drive(path)
    else:
        with open(path, encoding="utf-8") as payload:
            generate(roll.Payload(json.load(payload)["meta_info"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
