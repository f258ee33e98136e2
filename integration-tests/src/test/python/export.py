"""Sends spans by OpenTelemetry's own exporters: python export.py grpc|http <endpoint> <spans>"""

import sys

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

protocol, endpoint, spans = sys.argv[1:]
if protocol == "grpc":
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

    exporter = OTLPSpanExporter(endpoint=endpoint, insecure=True)
else:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    exporter = OTLPSpanExporter(endpoint=endpoint + "/v1/traces")
provider = TracerProvider(resource=Resource({"service.name": "python-" + protocol}))
provider.add_span_processor(BatchSpanProcessor(exporter, max_queue_size=100_000))
tracer = provider.get_tracer("worker")
for number in range(int(spans)):
    with tracer.start_as_current_span("worker.generate", attributes={"number": number, "é": [1.5]}):
        pass
provider.shutdown()
