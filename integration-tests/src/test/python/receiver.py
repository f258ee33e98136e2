"""A receiver of OTLP/gRPC by Python's gRPC server, as ROLL has one: python receiver.py <file>

Writes the id of each span that it receives into the file, a line each.
"""

import sys
from concurrent import futures

import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc


class Receiver(trace_service_pb2_grpc.TraceServiceServicer):
    def Export(self, request, context):
        with open(sys.argv[1], "a") as file:
            for resource in request.resource_spans:
                for scope in resource.scope_spans:
                    for span in scope.spans:
                        file.write(span.span_id.hex() + "\n")
        return trace_service_pb2.ExportTraceServiceResponse()


server = grpc.server(futures.ThreadPoolExecutor(max_workers=1))
trace_service_pb2_grpc.add_TraceServiceServicer_to_server(Receiver(), server)
print("port", server.add_insecure_port("127.0.0.1:0"), flush=True)
server.start()
server.wait_for_termination()
