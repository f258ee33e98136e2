"""A worker of a Java driver, which exports as ROLL's do: python grpc_worker.py <payload.json> <spans>"""

import json
import os
import sys

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

import roll

path, spans = sys.argv[1:]
provider = TracerProvider(resource=Resource.create({"service.name": "python-worker"}))
exporter = OTLPSpanExporter(endpoint=os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"], insecure=True)
provider.add_span_processor(BatchSpanProcessor(exporter, max_queue_size=100_000))
trace.set_tracer_provider(provider)


@roll.register(traced=True)
def generate(payload):
    pass


with open(path, encoding="utf-8") as file:
    payload = roll.Payload(json.load(file)["meta_info"])
for _ in range(int(spans)):
    generate(payload)
provider.shutdown()
