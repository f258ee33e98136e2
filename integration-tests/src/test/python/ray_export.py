"""Sends spans by roll_otel_ray's exporter: python ray_export.py <spans>, and settings as it reads them"""

import os
import sys

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from roll_otel_ray._export import RunExporter
from roll_otel_ray._place import Place

provider = TracerProvider(resource=Resource({"service.name": "ray-worker"}))
exporter = RunExporter(Place(os.environ))
provider.add_span_processor(BatchSpanProcessor(exporter, max_queue_size=100_000))
tracer = provider.get_tracer("ray")
for number in range(int(sys.argv[1])):
    with tracer.start_as_current_span("worker.generate", attributes={"number": number}):
        pass
provider.shutdown()
