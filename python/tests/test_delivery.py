"""How requests end: refusals, ports that stay silent, and the messages about them."""

import importlib
import socket
import sys
import threading
import time
from concurrent import futures
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SpanExportResult

from roll_otel_ray import _delivery
from roll_otel_ray._delivery import Delivery, RunIsFull, without_user
from roll_otel_ray._export import RunExporter
from roll_otel_ray._place import Place

METHOD = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
FULL = ("roll-otel-run-full", "1")
RETRY = ("grpc-status-details-bin", b"\x08\x08")
ENCODER = "opentelemetry.exporter.otlp.proto.common.trace_encoder"


def ended_span():
    span = TracerProvider().get_tracer("s").start_span("s")
    span.end()
    return span


def export(directory, endpoint, **environment):
    place = Place(
        {
            "ROLL_OTEL_OUTPUT_DIR": str(directory),
            "ROLL_OTEL_INSTANCE": "h:1",
            "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
            **environment,
        }
    )
    return RunExporter(place).export([ended_span()]), place.own_file


class Refused(Exception):
    """As grpcio's errors are read."""

    def __init__(self, code, details, trailers):
        super().__init__(f"<_InactiveRpcError of RPC that terminated with:\n{code}>")
        self.code = lambda: SimpleNamespace(name=code)
        self.details = lambda: details
        self.trailing_metadata = lambda: trailers


@pytest.fixture
def grpc_double(monkeypatch):
    """grpcio as far as it is used here, whose calls all fail: by `refused`."""
    double = SimpleNamespace(refused=None, targets=[])

    def channel(target, _options):
        double.targets.append(target)
        return SimpleNamespace(unary_unary=lambda _: call, close=lambda: None)

    def call(*_, **__):
        raise double.refused

    request = SimpleNamespace(SerializeToString=lambda: b"")
    modules = {
        "grpc": SimpleNamespace(
            insecure_channel=channel, RpcError=Refused, Compression=SimpleNamespace(Gzip=2)
        ),
        ENCODER: SimpleNamespace(encode_spans=lambda _: request),
    }
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    imported = importlib.import_module
    monkeypatch.setattr(
        _delivery.importlib, "import_module", lambda name: modules.get(name) or imported(name)
    )
    return double


@pytest.mark.parametrize(
    "code, trailers, is_full",
    [
        ("RESOURCE_EXHAUSTED", (("x", "y"), FULL), True),
        ("RESOURCE_EXHAUSTED", (RETRY,), False),
        ("RESOURCE_EXHAUSTED", (("roll-otel-run-full", "0"),), False),
        ("RESOURCE_EXHAUSTED", (), False),
        ("RESOURCE_EXHAUSTED", None, False),
        ("UNAVAILABLE", (FULL,), False),
    ],
)
def test_only_the_trailer_says_that_the_run_is_full(grpc_double, code, trailers, is_full):
    grpc_double.refused = Refused(code, "d", trailers)
    with pytest.raises(Exception) as raised:
        Delivery("http://127.0.0.1:9", "grpc").send({}, [], b"")
    assert isinstance(raised.value, RunIsFull) == is_full


@pytest.fixture
def grpc_server():
    """A real server of gRPC that refuses with RESOURCE_EXHAUSTED and some trailers."""
    grpc = pytest.importorskip("grpc")
    pytest.importorskip(ENCODER)
    refusing = SimpleNamespace(trailers=(), details="")

    def refuse(_, context):
        context.set_trailing_metadata(refusing.trailers)
        context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, refusing.details)

    handler = grpc.unary_unary_rpc_method_handler(refuse)
    service, method = METHOD[1:].split("/")
    server = grpc.server(futures.ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(service, {method: handler}),)
    )
    refusing.port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield refusing
    server.stop(None).wait()


@pytest.mark.parametrize("protocol", ["grpc", ""])
def test_run_without_room_is_told_by_grpc_too(tmp_path, grpc_server, protocol, capsys):
    grpc_server.trailers = (FULL,)
    grpc_server.details = "the limit of a run's files is reached"
    result, own_file = export(
        tmp_path,
        f"http://127.0.0.1:{grpc_server.port}",
        OTEL_EXPORTER_OTLP_PROTOCOL=protocol,
    )
    assert result == SpanExportResult.FAILURE
    assert not own_file.exists()
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert "ROLL_OTEL_RUN_BYTES" in said[0]


def test_overloaded_collector_is_one_readable_line_and_the_own_file(tmp_path, grpc_server, capsys):
    grpc_server.trailers = (RETRY,)
    grpc_server.details = "full\x1b[2J\nnow"
    result, own_file = export(
        tmp_path,
        f"http://u:secret@127.0.0.1:{grpc_server.port}",
        OTEL_EXPORTER_OTLP_PROTOCOL="grpc",
    )
    assert result == SpanExportResult.SUCCESS
    assert capsys.readouterr().err == (
        f"[roll-otel] cannot deliver spans to http://127.0.0.1:{grpc_server.port} (gRPC "
        f"RESOURCE_EXHAUSTED: full\\u001b[2J\\u000anow); they go to {own_file}\n"
    )


def test_grpc_failure_is_readable_and_names_no_path(tmp_path, grpc_double, capsys):
    grpc_double.refused = Refused("UNAVAILABLE", "no\x1b[2J\nway", None)
    _, own_file = export(tmp_path, "http://u:a@secret@[::1]:4317")
    assert grpc_double.targets == ["[::1]:4317"]
    assert capsys.readouterr().err == (
        "[roll-otel] cannot deliver spans to http://[::1]:4317 "
        f"(gRPC UNAVAILABLE: no\\u001b[2J\\u000away); they go to {own_file}\n"
    )


@pytest.fixture
def slow_port():
    """A port that accepts and sends `drip` again and again, or nothing at all."""
    listening = socket.create_server(("127.0.0.1", 0))
    port = SimpleNamespace(number=listening.getsockname()[1], drip=b"", accepted=0)
    over = threading.Event()

    def serve(connection):
        with connection:
            try:
                while not over.wait(0.25):
                    connection.sendall(port.drip)
            except OSError:
                pass

    def accept():
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            port.accepted += 1
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    yield port
    over.set()
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()
    thread.join()


def test_grpc_deadline_asks_the_port_nothing(grpc_double, slow_port):
    grpc_double.refused = Refused("DEADLINE_EXCEEDED", "Deadline Exceeded", ())
    with pytest.raises(OSError, match="^gRPC DEADLINE_EXCEEDED: Deadline Exceeded$"):
        Delivery(f"http://127.0.0.1:{slow_port.number}", "grpc").send({}, [], b"")
    time.sleep(0.1)
    assert slow_port.accepted == 0


def test_port_that_never_answers_costs_grpc_its_deadline_alone(slow_port):
    pytest.importorskip("grpc")
    pytest.importorskip(ENCODER)
    began = time.monotonic()
    with pytest.raises(OSError, match="DEADLINE_EXCEEDED"):
        Delivery(f"http://127.0.0.1:{slow_port.number}", "grpc").send({}, [ended_span()], b"")
    assert time.monotonic() - began < 4


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("drip", [b"", b"\0"], ids=["silent", "dripping"])
def test_probe_has_one_deadline_and_asks_once(slow_port, monkeypatch, drip, scheme):
    monkeypatch.setattr(_delivery, "_PROBE_SECONDS", 0.3)
    slow_port.drip = drip
    delivery = Delivery(f"{scheme}://127.0.0.1:{slow_port.number}", "grpc")
    began = time.monotonic()
    assert not delivery._is_other()
    assert time.monotonic() - began < 2  # nine drips take longer
    assert slow_port.accepted == 1


def test_probe_asks_once_where_nobody_listens(monkeypatch):
    asked = []

    def refuse(address, _):
        asked.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(_delivery.socket, "create_connection", refuse)
    assert not Delivery("http://127.0.0.1:9", "grpc")._is_other()
    assert asked == [("127.0.0.1", 9)]


@pytest.mark.parametrize(
    "endpoint, shown",
    [
        ("http://host:4318/v1/traces", "http://host:4318/v1/traces"),
        ("http://host/a@b?c=d@e", "http://host/a@b?c=d@e"),
        ("http://u:secret@host:4318/v1/traces", "http://host:4318/v1/traces"),
        ("https://u:secret@x@[::1]/a@b", "https://[::1]/a@b"),
        ("http://u:sec/ret@host:1/v1/traces", "host:1/v1/traces"),
        ("u:secret@host:4317", "host:4317"),
        ("http:///u:secret@host", "host"),
        ("http://u:secret@host:port", "host:port"),
    ],
)
def test_endpoint_is_shown_without_its_user(endpoint, shown):
    assert without_user(endpoint) == shown


@pytest.mark.parametrize("protocol", ["http/protobuf", "grpc", ""])
@pytest.mark.parametrize(
    "endpoint",
    [
        "http://u:secret@127.0.0.1:9",
        "http://u:x@secret@127.0.0.1:9",
        "http://u:secret@localhost",
        "http://u:secret/x@127.0.0.1:9",
        "http://u:secret@127.0.0.1:secretless",
        "http://u:secret@[::1",
        "http://u:secret\u2100@127.0.0.1",
        "u:secret@127.0.0.1:9",
        "ftp://u:secret@127.0.0.1",
    ],
)
def test_password_is_never_shown(tmp_path, endpoint, protocol, capsys):
    _, own_file = export(tmp_path, endpoint, OTEL_EXPORTER_OTLP_PROTOCOL=protocol)
    said = capsys.readouterr().err
    assert "cannot deliver spans to" in said
    assert "secret" not in said.replace("secretless", "")
    assert own_file.exists()


@pytest.fixture
def answering():
    """A server of HTTP that answers what it is told to, and writes down who asked it what."""
    answer = SimpleNamespace(code=200, headers={}, body=b"", asked=[])

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

        def do_GET(self):
            answer.asked.append((self.command, self.path))
            self.send_response(answer.code if self.path == "/v1/traces" else 200)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Answers)
    answer.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield answer
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_redirect_is_not_followed_and_spans_go_to_the_own_file(tmp_path, answering, code, capsys):
    answering.code = code
    answering.headers = {"Location": answering.endpoint.replace("//", "//u:secret@") + "/login"}
    result, own_file = export(tmp_path, answering.endpoint)
    assert result == SpanExportResult.SUCCESS
    assert own_file.exists()
    assert answering.asked == [("POST", "/v1/traces")]
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"{code}: a redirect to {answering.endpoint}/login, which is not followed" in said
    assert "secret" not in said


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}', ": too old"),
        (b'{"partialSuccess":{"rejectedSpans":1}}', ""),
        (b'{"partialSuccess":{"rejectedSpans":"0","errorMessage":"a warning"}}', None),
        (b'{"partialSuccess":{}}', None),
        (b"{}", None),
        (b"[]", None),
        (b"", None),
        (b"<html>", None),
        (b"[" * 60_000, None),
        (b'{"partialSuccess":{"rejectedSpans":Infinity}}', None),
        (
            b'{"partialSuccess":{"rejectedSpans":1,"errorMessage":"%s"}}' % (b"x" * 60_000),
            ": " + "x" * 200,
        ),
    ],
)
def test_spans_that_a_collector_rejects_are_told(tmp_path, answering, body, said, capsys):
    answering.body = body
    result, own_file = export(tmp_path, answering.endpoint)
    assert result == SpanExportResult.SUCCESS
    assert not own_file.exists()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == (said is not None)
    if said is not None:
        assert "rejects some of their spans, which are lost" in lines[0]
        assert lines[0].endswith(f", the first 1{said}" if said else "lost")


def test_spans_that_a_collector_rejects_are_told_by_grpc_too(tmp_path, capsys):
    grpc = pytest.importorskip("grpc")
    pytest.importorskip(ENCODER)
    messages = importlib.import_module("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
    response = messages.ExportTraceServiceResponse()
    response.partial_success.rejected_spans = 1
    response.partial_success.error_message = "too old"
    service, method = METHOD[1:].split("/")
    handler = grpc.unary_unary_rpc_method_handler(lambda *_: response.SerializeToString())
    server = grpc.server(futures.ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(service, {method: handler}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        export(tmp_path, f"http://127.0.0.1:{port}", OTEL_EXPORTER_OTLP_PROTOCOL="grpc")
    finally:
        server.stop(None).wait()
    assert "which are lost, the first 1: too old\n" in capsys.readouterr().err


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf", ""])
@pytest.mark.parametrize("header", ["authorization=Bearer%20SECRET%0A", "author ization=SECRET"])
def test_header_that_no_request_may_have_is_named_without_its_value(
    tmp_path, protocol, header, capsys
):
    _, own_file = export(
        tmp_path,
        "http://127.0.0.1:9",
        OTEL_EXPORTER_OTLP_PROTOCOL=protocol,
        OTEL_EXPORTER_OTLP_HEADERS=header,
    )
    assert own_file.exists()
    said = capsys.readouterr().err
    assert f"the header {header.split('=')[0]} has characters" in said
    assert "SECRET" not in said


def test_collector_that_does_not_answer_is_left_alone_for_a_while(tmp_path, monkeypatch):
    monkeypatch.setattr(_delivery, "_TIMEOUT_SECONDS", 0.6)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        place = Place(
            {
                "ROLL_OTEL_OUTPUT_DIR": str(tmp_path),
                "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
            }
        )
        exporter = RunExporter(place)
        took = []
        for tried in (True, False, False, True):
            if tried:
                exporter._rests_until = 0.0  # as if the while were over
            began = time.monotonic()
            assert exporter.export([ended_span()]) == SpanExportResult.SUCCESS
            took.append(time.monotonic() - began)
    assert [seconds > 0.5 for seconds in took] == [True, False, False, True]
    assert len(place.own_file.read_text().splitlines()) == 4
