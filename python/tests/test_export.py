"""Spans to a collector and into the own file."""

import gzip
import json
import os
import re
import socket
import subprocess
import sys
import threading
from types import SimpleNamespace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult

from roll_otel_ray._export import RunExporter
from roll_otel_ray._json import attributes_of
from roll_otel_ray._place import Place

SOURCES = Path(__file__).parent.parent / "src"


class Taker(BaseHTTPRequestHandler):
    """Takes requests, or refuses them."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.taken.append((self.path, dict(self.headers), json.loads(gzip.decompress(body))))
        self.send_response(self.server.answer)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def serving():
    taker = HTTPServer(("127.0.0.1", 0), Taker)
    taker.taken = []
    taker.answer = 200
    thread = threading.Thread(target=taker.serve_forever, daemon=True)
    thread.start()
    yield taker
    taker.shutdown()
    thread.join()
    taker.server_close()


server = pytest.fixture(serving, name="server")
second_server = pytest.fixture(serving, name="second_server")
third_server = pytest.fixture(serving, name="third_server")


def place(directory, **environment):
    return Place(
        {"ROLL_OTEL_OUTPUT_DIR": str(directory), "ROLL_OTEL_INSTANCE": "h:1", **environment}
    )


def driver_file(directory, endpoint, host, token="secret"):
    traces = directory / "traces"
    traces.mkdir()
    escaped = endpoint.replace(":", "\\:")
    file = traces / ".driver"
    file.write_text(
        f"#comment\nrun_id=r1\nhost={host}\npid=1\nendpoint={escaped}\ntoken={token}\n"
    )
    file.chmod(0o600)  # whatever the umask


def make_spans(exporter):
    provider = TracerProvider(resource=Resource.create({"service.name": "py"}))
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("scope")
    with tracer.start_as_current_span("outer", attributes={"n": 1, "f": float("nan"), "b": True}):
        with pytest.raises(ValueError, match="no"):
            with tracer.start_as_current_span("inner", attributes={"list": ["a", "b"]}):
                raise ValueError("no")
    provider.shutdown()


def names(request):
    return [
        span["name"]
        for resource in request["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]


def test_driver_of_the_directory_gets_the_spans(tmp_path, server):
    where = place(tmp_path)
    driver_file(tmp_path, f"http://127.0.0.1:{server.server_port}", where.host)
    make_spans(RunExporter(where))

    assert [name for _, _, request in server.taken for name in names(request)] == ["inner", "outer"]
    path, headers, request = server.taken[0]
    assert path == "/v1/traces"
    assert headers["Authorization"] == "Bearer secret"
    inner = request["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    assert inner["kind"] == 1
    assert inner["status"]["code"] == 2
    assert inner["events"][0]["name"] == "exception"
    assert inner["attributes"] == [
        {
            "key": "list",
            "value": {"arrayValue": {"values": [{"stringValue": "a"}, {"stringValue": "b"}]}},
        }
    ]
    outer = server.taken[1][2]["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    assert inner["parentSpanId"] == outer["spanId"]
    assert len(outer["traceId"]) == 32
    assert {"key": "f", "value": {"doubleValue": "NaN"}} in outer["attributes"]
    assert {"key": "n", "value": {"intValue": "1"}} in outer["attributes"]
    assert {"key": "b", "value": {"boolValue": True}} in outer["attributes"]
    assert not where.own_file.exists()


def test_endpoint_of_the_environment_is_stronger(tmp_path, server):
    where = place(
        tmp_path,
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{server.server_port}/",
        OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20t, x=y",
    )
    make_spans(RunExporter(where))
    assert server.taken[0][0] == "/v1/traces"
    assert server.taken[0][1]["Authorization"] == "Bearer t"
    assert server.taken[0][1]["X"] == "y"


@pytest.mark.parametrize("case", ["nobody", "refused", "other host", "not listening", "file"])
def test_what_nobody_takes_is_in_the_own_file(tmp_path, server, case, capsys):
    environment = {"ROLL_OTEL_EXPORTER": "file"} if case == "file" else {}
    where = place(tmp_path, **environment)
    server.answer = 503
    if case != "nobody":
        port = 9 if case == "not listening" else server.server_port
        host = "another" if case == "other host" else where.host
        driver_file(tmp_path, f"http://127.0.0.1:{port}", host)
    make_spans(RunExporter(where))

    lines = where.own_file.read_text().splitlines()
    assert [name for line in lines for name in names(json.loads(line))] == ["inner", "outer"]
    assert bool(server.taken) == (case == "refused")
    said = capsys.readouterr().err.splitlines()
    assert len(said) == (1 if case in ("refused", "not listening") else 0)


@pytest.mark.parametrize("refused_before", [False, True])
def test_run_without_room_is_one_line_and_no_own_file(tmp_path, server, refused_before, capsys):
    where = place(tmp_path)
    driver_file(tmp_path, f"http://127.0.0.1:{server.server_port}", where.host)
    exporter = RunExporter(where)
    provider = TracerProvider()
    span = provider.get_tracer("s").start_span("refused")
    span.end()
    if refused_before:
        server.answer = 503
        assert exporter.export([span]) == SpanExportResult.SUCCESS
    before = where.own_file.read_bytes() if refused_before else None
    server.answer = 507
    assert [exporter.export([span]) for _ in range(2)] == [SpanExportResult.FAILURE] * 2

    assert (where.own_file.read_bytes() if refused_before else None) == before
    assert where.own_file.exists() == refused_before
    full = [line for line in capsys.readouterr().err.splitlines() if "ROLL_OTEL_RUN_BYTES" in line]
    assert len(full) == 1


def test_directory_that_cannot_be_written_is_one_line(tmp_path, capsys):
    blocked = tmp_path / "file"
    blocked.write_text("")
    exporter = RunExporter(place(blocked))
    provider = TracerProvider()
    spans = [provider.get_tracer("s").start_span("lost") for _ in range(2)]
    for span in spans:
        span.end()
    assert [exporter.export([span]) for span in spans] == [SpanExportResult.FAILURE] * 2
    assert len(capsys.readouterr().err.splitlines()) == 1


SETTINGS = bytes([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 128])


@pytest.fixture
def raw_port():
    """A port that answers each connection with some bytes, whatever it is sent."""
    listening = socket.create_server(("127.0.0.1", 0))
    port = SimpleNamespace(number=listening.getsockname()[1], answer=b"")

    def serve():
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                connection.recv(65536)
                connection.sendall(port.answer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield port
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()
    thread.join()


@pytest.mark.parametrize(
    "answer, protocol, said",
    [
        (SETTINGS, None, "pip install|UNAVAILABLE"),
        (SETTINGS, "http/protobuf", "set OTEL_EXPORTER_OTLP_PROTOCOL=grpc, or leave it out"),
        (b"", None, "closed connection|reset|Remote end"),
        (b"", "grpc", "pip install|UNAVAILABLE"),
        (b"220 mail.example.org ready\r\n", None, "220 mail|reset"),
    ],
    ids=["grpc", "grpc, http set", "closed", "closed, grpc set", "another"],
)
def test_port_that_takes_no_http_loses_no_span(tmp_path, raw_port, answer, protocol, said, capsys):
    raw_port.answer = answer
    where = place(
        tmp_path,
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{raw_port.number}",
        OTEL_EXPORTER_OTLP_PROTOCOL=protocol or "",
    )
    make_spans(RunExporter(where))

    lines = where.own_file.read_text().splitlines()
    assert [name for line in lines for name in names(json.loads(line))] == ["inner", "outer"]
    words = capsys.readouterr().err
    assert len(words.splitlines()) == 1
    assert re.search(said, words)
    assert str(where.own_file) in words


def test_protocol_that_was_set_to_grpc_is_named_where_the_port_speaks_http(
    tmp_path, server, capsys
):
    where = place(
        tmp_path,
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{server.server_port}",
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL="grpc",
    )
    make_spans(RunExporter(where))
    assert "set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf" in capsys.readouterr().err
    assert len(where.own_file.read_text().splitlines()) == 2


def test_endpoint_without_a_scheme_says_what_to_write(tmp_path, capsys):
    where = place(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT="host:4317")
    make_spans(RunExporter(where))
    assert "write http://host:4317" in capsys.readouterr().err
    assert len(where.own_file.read_text().splitlines()) == 2


def test_list_of_endpoints_goes_on_with_the_first_that_takes_spans(tmp_path, server, capfd):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{closed.getsockname()[1]}"
    alive = f"http://127.0.0.1:{server.server_port}"
    where = place(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=f"{dead}, {alive}/")
    assert [c.endpoint for c in where.collectors()] == [f"{dead}/v1/traces", f"{alive}/v1/traces"]
    provider = TracerProvider(resource=Resource.create({}))
    provider.add_span_processor(SimpleSpanProcessor(RunExporter(where)))
    tracer = provider.get_tracer("test")
    for name in ("a", "b"):
        tracer.start_span(name).end()
    assert len(server.taken) == 2
    assert not where.own_file.exists()
    server.answer = 503
    tracer.start_span("c").end()
    assert where.own_file.exists()
    said = capfd.readouterr().err
    assert f"{dead}/v1/traces (" in said and f"{alive}/v1/traces (" in said


def spans_of(*servers):
    """The names that each has got."""
    return [
        [
            span["name"]
            for _, _, request in server.taken
            for span in request["resourceSpans"][0]["scopeSpans"][0]["spans"]
        ]
        for server in servers
    ]


def exporting(tmp_path, *servers):
    urls = ",".join(f"http://127.0.0.1:{server.server_port}" for server in servers)
    where = place(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=urls)
    provider = TracerProvider(resource=Resource.create({}))
    provider.add_span_processor(SimpleSpanProcessor(RunExporter(where)))
    return where, provider.get_tracer("test")


def test_collector_of_a_list_without_room_leaves_the_batch_to_the_next(
    tmp_path, server, second_server
):
    server.answer = 507
    where, tracer = exporting(tmp_path, server, second_server)
    tracer.start_span("a").end()
    assert spans_of(second_server) == [["a"]]
    assert not where.own_file.exists()


@pytest.mark.parametrize("other", [507, 503])
def test_list_of_which_none_takes_spans_loses_them_only_where_all_are_full(
    tmp_path, server, second_server, other, capsys
):
    server.answer = 507
    second_server.answer = other
    where, tracer = exporting(tmp_path, server, second_server)
    tracer.start_span("a").end()
    assert where.own_file.exists() == (other == 503)
    assert ("ROLL_OTEL_RUN_BYTES" in capsys.readouterr().err) == (other == 507)


def test_endpoint_that_took_the_last_is_asked_first_and_then_those_behind_it(
    tmp_path, server, second_server, third_server
):
    servers = server, second_server, third_server
    _, tracer = exporting(tmp_path, *servers)

    def send(name, *answers):
        for one, answer in zip(servers, answers):
            one.answer = answer
            one.taken.clear()
        tracer.start_span(name).end()
        return [len(one.taken) for one in servers]

    assert send("a", 503, 200, 200) == [1, 1, 0]
    assert send("b", 200, 200, 200) == [0, 1, 0]  # it stays where it works
    assert send("c", 200, 503, 200) == [0, 1, 1]  # on, not back
    assert send("d", 503, 503, 503) == [1, 1, 1]
    assert send("e", 200, 200, 200) == [0, 0, 1]  # who was asked last is not who took the last


def written_by(tmp_path, **of_span):
    """What the own file says of a span."""
    where = place(tmp_path)
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(RunExporter(where)))
    provider.get_tracer("t").start_span(**{"name": "s", **of_span}).end()
    (line,) = where.own_file.read_text().splitlines()
    return json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"][0]


@pytest.mark.parametrize(
    ("of_span", "key", "value"),
    [
        ({"name": 5}, "name", "5"),
        ({"name": None}, "name", "None"),
        ({"start_time": 1.5e18}, "startTimeUnixNano", "1500000000000000000"),
        ({"start_time": -5}, "startTimeUnixNano", "0"),
        ({"start_time": 1 << 70}, "startTimeUnixNano", str((1 << 63) - 1)),
    ],
)
def test_what_no_span_should_have_is_written_all_the_same(tmp_path, of_span, key, value):
    assert written_by(tmp_path, **of_span)[key] == value


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1 << 63, {"stringValue": str(1 << 63)}),
        (-1 << 63, {"intValue": str(-1 << 63)}),
        (b"\xff\x00", {"bytesValue": "/wA="}),
        (None, {}),
        (
            {"a": 1, "b": {"c": [None, "x"]}},
            {
                "kvlistValue": {
                    "values": [
                        {"key": "a", "value": {"intValue": "1"}},
                        {
                            "key": "b",
                            "value": {
                                "kvlistValue": {
                                    "values": [
                                        {
                                            "key": "c",
                                            "value": {
                                                "arrayValue": {"values": [{}, {"stringValue": "x"}]}
                                            },
                                        }
                                    ]
                                }
                            },
                        },
                    ]
                }
            },
        ),
    ],
)
def test_attributes_of_newer_sdks_keep_their_types(value, written):
    assert json.loads(f"[{attributes_of({'k': value})}]") == [{"key": "k", "value": written}]


def test_span_that_cannot_be_written_takes_no_other_with_it(tmp_path, capsys):
    class Unwritable:
        def __str__(self):
            raise ValueError("no text")

    where = place(tmp_path)
    tracer = TracerProvider().get_tracer("t")
    spans = [tracer.start_span(name) for name in ("a", Unwritable(), "b")]
    for span in spans:
        span.end()
    assert RunExporter(where).export(spans) == SpanExportResult.SUCCESS
    assert names(json.loads(where.own_file.read_text())) == ["a", "b"]
    assert "spans that cannot be written are left out" in capsys.readouterr().err


@pytest.mark.parametrize(("count", "lost"), [(1, "1 span is"), (2, "2 spans are")])
def test_loss_is_told_though_a_dead_collector_was_told_before(tmp_path, capsys, count, lost):
    where = place(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9")
    exporter = RunExporter(where)
    span = TracerProvider().get_tracer("t").start_span("s")
    span.end()
    assert exporter.export([span]) == SpanExportResult.SUCCESS
    where.own_file.unlink()
    where.own_file.mkdir()  # as a full disk, for root as well
    for _ in range(2):
        assert exporter.export([span] * count) == SpanExportResult.FAILURE
    first, second = capsys.readouterr().err.splitlines()
    assert "cannot deliver spans to" in first
    assert f"cannot write {where.own_file} (" in second
    assert second.endswith(f"): {lost} lost, and later ones may be")


def test_line_that_was_cut_off_takes_no_other_along(tmp_path):
    """As by a full disk, or a kill of a process that was of the same instance."""
    where = place(tmp_path)
    exporter = RunExporter(where)
    make_spans(exporter)
    whole = where.own_file.read_bytes()
    where.own_file.write_bytes(whole + whole[:100])
    make_spans(exporter)
    make_spans(exporter)
    lines = where.own_file.read_text().splitlines()
    cut = lines.pop(2)
    assert cut.encode() == whole[:100]
    assert [names(json.loads(line)) for line in lines] == [["inner"], ["outer"]] * 3


def test_exporter_none_lets_spans_go_nowhere(tmp_path, server):
    where = place(
        tmp_path,
        OTEL_TRACES_EXPORTER="none",
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{server.server_port}",
    )
    make_spans(RunExporter(where))
    assert (server.taken, where.own_file.exists()) == ([], False)


def test_process_that_is_forked_off_while_its_parent_writes_writes_its_own(tmp_path):
    script = """
import os, signal
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from roll_otel_ray._export import RunExporter
from roll_otel_ray._place import Place
exporter = RunExporter(Place(os.environ))
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
exporter._lock.acquire()
child = os.fork()
if child == 0:
    signal.alarm(10)
    provider.get_tracer("t").start_span("child's").end()
    os._exit(0)
raise SystemExit(os.waitpid(child, 0)[1])
"""
    environment = {**os.environ, "PYTHONPATH": str(SOURCES), "ROLL_OTEL_OUTPUT_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, check=False)
    assert done.returncode == 0
    (file,) = (tmp_path / "traces").iterdir()
    assert "child's" in file.read_text()
