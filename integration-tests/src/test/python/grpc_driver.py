"""A driver that receives spans by Python's gRPC server, as ROLL's otel_receiver does:

python grpc_driver.py <payload.json> <workers> <protocol or -> <command of a worker...>

Prints a line for each span that was received: name, trace, span, parent, service.
"""

import json
import os
import subprocess
import sys
from concurrent import futures

import grpc
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

import roll


class Receiver(trace_service_pb2_grpc.TraceServiceServicer):
    def __init__(self):
        self.lines = []

    def Export(self, request, context):
        for of_resource in request.resource_spans:
            names = {each.key: each.value.string_value for each in of_resource.resource.attributes}
            for of_scope in of_resource.scope_spans:
                for span in of_scope.spans:
                    ids = (span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex() or "-")
                    self.lines.append(" ".join((span.name, *ids, names["service.name"])))
        return trace_service_pb2.ExportTraceServiceResponse()


path, workers, protocol, *command = sys.argv[1:]
receiver = Receiver()
server = grpc.server(futures.ThreadPoolExecutor(max_workers=4))
trace_service_pb2_grpc.add_TraceServiceServicer_to_server(receiver, server)
endpoint = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
server.start()

provider = TracerProvider(resource=Resource.create({"service.name": "python-driver"}))
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint, insecure=True)))
trace.set_tracer_provider(provider)

environment = {
    **os.environ,
    "ROLL_OTEL_ENABLED": "1",
    "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
    # A worker that ends at once on a busy machine needs more than the default to connect by gRPC.
    "ROLL_OTEL_EXIT_TIMEOUT": "60",
}
if protocol != "-":
    environment["OTEL_EXPORTER_OTLP_PROTOCOL"] = protocol
with roll.get_tracer().start_as_current_span("pipeline_step"):
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"meta_info": roll.inject({"global_step": 7})}, file)
    running = [subprocess.Popen(command, env=environment, stdout=sys.stderr) for _ in range(int(workers))]
    codes = [each.wait() for each in running]
provider.shutdown()
server.stop(grace=None).wait()
print("\n".join(receiver.lines))
sys.exit(max(codes))
