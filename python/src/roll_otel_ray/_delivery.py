"""How a request travels: by HTTP or by gRPC, whichever the endpoint's port speaks."""

from __future__ import annotations

import gzip
import http.client
import importlib
import json
import os
import re
import socket
import ssl
import time
import urllib.error
import urllib.request
from typing import Any, Mapping, NamedTuple, Sequence
from urllib.parse import urlsplit

from opentelemetry.sdk.trace import ReadableSpan

from ._call_spans import readable

GRPC = "grpc"
HTTP = "http/protobuf"

_TIMEOUT_SECONDS = 3.0
_PROBE_SECONDS = 2.0
_PROBE_PAUSE_SECONDS = 3.0
# The run has written what ROLL_OTEL_RUN_BYTES lets it. gRPC has one code for this, for a collector
# that is overloaded, and for a request that is too large: only a trailer tells which it is.
_SPENT = 507
_SPENT_CODE = "RESOURCE_EXHAUSTED"
_SPENT_TRAILER = ("roll-otel-run-full", "1")
_GRPC_PORT = 4317
_METHOD = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
_FRAME_HEAD = 9
_TIMEOUTS = (TimeoutError, socket.timeout)  # one class since Python 3.10
_MOST_ANSWER_BYTES = 64 << 10
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_HOST_AND_PORT = re.compile(r"(\[[^]]*\]|[^:\[\]]+)(:\d*)?")


class RunIsFull(Exception):
    """The run's files may not grow any more, and the own file is one of them."""


class Rejected(NamedTuple):
    """Spans that a collector leaves out of a request that it takes."""

    spans: int
    message: str


class GrpcFailure(OSError):
    """What gRPC has against a request, in one line."""

    def __init__(self, code: str, details: str) -> None:
        super().__init__(f"gRPC {code}: {details}")
        self.code = code


class Delivery:
    """
    Sends to one endpoint. Where no protocol is set, port 4317 is gRPC, any other port begins with
    HTTP, and only a clear answer of the port changes that.
    """

    def __init__(self, endpoint: str, protocol: str | None) -> None:
        self.endpoint = endpoint
        self._url = without_user(endpoint)
        scheme, self._host, self._port = _parts(endpoint)
        self._is_encrypted = scheme == "https"
        host = f"[{self._host}]" if ":" in self._host else self._host
        self._address = f"{host}:{self._port}"
        self._is_set = protocol is not None
        self._protocol = protocol or (GRPC if self._port == _GRPC_PORT else HTTP)
        self._probed = -_PROBE_PAUSE_SECONDS
        self._opener: urllib.request.OpenerDirector | None = None
        self._channel: Any = None

    @property
    def shown(self) -> str:
        """Where the spans go, for a user to read: gRPC's method is no part of it."""
        if self._protocol == HTTP:
            return self._url
        return f"{'https' if self._is_encrypted else 'http'}://{self._address}"

    def send(
        self, headers: Mapping[str, str], spans: Sequence[ReadableSpan], request: bytes
    ) -> Rejected | None:
        """Raises whatever went wrong."""
        _check(headers)
        try:
            return self._send(headers, spans, request)
        except RunIsFull:
            raise
        except Exception as e:
            if _is_answer(e) or not self._is_other():
                raise
            other = HTTP if self._protocol == GRPC else GRPC
            if self._is_set:
                raise OSError(
                    f"this port speaks {_title(other)}: set OTEL_EXPORTER_OTLP_PROTOCOL={other}, "
                    "or leave it out"
                ) from e
            self._protocol = other
            if self._channel is not None:
                self._channel.close()
                self._channel = None
            return self._send(headers, spans, request)

    def _send(
        self, headers: Mapping[str, str], spans: Sequence[ReadableSpan], request: bytes
    ) -> Rejected | None:
        if self._protocol == GRPC:
            return self._send_by_grpc(headers, spans)
        return self._post(headers, request)

    def _post(self, headers: Mapping[str, str], request: bytes) -> Rejected | None:
        all_headers = {
            "Content-Type": "application/json",
            "Content-Encoding": "gzip",
            **headers,
        }
        post = urllib.request.Request(self._url, gzip.compress(request, 1), all_headers)
        if self._opener is None:
            # Straight to the collector: a proxy is of no use on the way to one's own driver.
            handlers: list[urllib.request.BaseHandler] = [
                urllib.request.ProxyHandler({}),
                _NoRedirects(),
            ]
            if self._is_encrypted:
                handlers.append(urllib.request.HTTPSHandler(context=_tls()))
            self._opener = urllib.request.build_opener(*handlers)
        try:
            with self._opener.open(post, timeout=_TIMEOUT_SECONDS) as answer:
                return _rejected_by_http(answer)
        except urllib.error.HTTPError as e:
            if e.code == _SPENT:
                raise RunIsFull from e
            raise

    def _send_by_grpc(
        self, headers: Mapping[str, str], spans: Sequence[ReadableSpan]
    ) -> Rejected | None:
        try:
            grpc = importlib.import_module("grpc")
            encoder = importlib.import_module(
                "opentelemetry.exporter.otlp.proto.common.trace_encoder"
            )
        except ImportError as e:
            raise OSError(
                "gRPC takes a package: pip install opentelemetry-exporter-otlp-proto-grpc"
            ) from e
        if self._channel is None:
            # As for HTTP: a proxy is of no use on the way to one's own driver.
            options = [("grpc.enable_http_proxy", 0)]
            self._channel = (
                grpc.secure_channel(self._address, _grpc_tls(grpc), options)
                if self._is_encrypted
                else grpc.insecure_channel(self._address, options)
            )
        try:
            answer = self._channel.unary_unary(_METHOD)(
                encoder.encode_spans(readable(spans)).SerializeToString(),
                timeout=_TIMEOUT_SECONDS,
                metadata=[(name.lower(), value) for name, value in headers.items()],
                compression=grpc.Compression.Gzip,
            )
        except grpc.RpcError as e:
            raise _grpc_failure(e) from e
        return _rejected_by_grpc(answer)

    def _is_other(self) -> bool:
        """Whether the port's answers show that it speaks the other protocol, and it alone."""
        now = time.monotonic()
        if now - self._probed < _PROBE_PAUSE_SECONDS:
            return False
        self._probed = now
        settings = self._answer("h2", _PREFACE)
        if settings is None:
            return False
        speaks_grpc = settings[3:5] == b"\x04\x00"
        options = f"OPTIONS * HTTP/1.1\r\nHost: {self._host}\r\nConnection: close\r\n\r\n"
        line = self._answer("http/1.1", options.encode())
        speaks_http = line is not None and line.startswith(b"HTTP/1.")
        return speaks_http != speaks_grpc and speaks_http == (self._protocol == GRPC)

    def _answer(self, application: str, question: bytes) -> bytes | None:
        """The first bytes of what the port answers, fewer where it ends before; None where nobody
        listens, or all of them take too long: another question would fare no better."""
        until = time.monotonic() + _PROBE_SECONDS
        answer = b""
        try:
            with socket.create_connection((self._host, self._port), _PROBE_SECONDS) as plain:
                tls = _tls() if self._is_encrypted else None
                if tls is not None:
                    tls.set_alpn_protocols([application])
                plain.settimeout(_left(until))
                asked = tls.wrap_socket(plain, server_hostname=self._host) if tls else plain
                with asked:
                    asked.settimeout(_left(until))
                    asked.sendall(question)
                    while len(answer) < _FRAME_HEAD:
                        asked.settimeout(_left(until))
                        more = asked.recv(_FRAME_HEAD - len(answer))
                        if not more:
                            break
                        answer += more
        except (ConnectionRefusedError, *_TIMEOUTS):
            return None
        except OSError:
            pass  # the bytes received so far are the answer
        return answer


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A followed redirect is a GET without the spans, but with the token, to whoever it names. The
    answer to that says nothing about the spans."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        to = f"a redirect to {without_user(newurl)}, which is not followed"
        raise urllib.error.HTTPError(req.full_url, code, to, headers, fp)


def _check(headers: Mapping[str, str]) -> None:
    """Otherwise the clients' own message quotes the value, which may be a password."""
    for name, value in headers.items():
        if not (_HEADER_NAME.fullmatch(name) and _HEADER_VALUE.fullmatch(value)):
            raise ValueError(
                f"the header {name} has characters that no header may have:"
                " check OTEL_EXPORTER_OTLP_HEADERS"
            )


def _rejected_by_http(answer: http.client.HTTPResponse) -> Rejected | None:
    """The spans are delivered, whatever is wrong with the answer's body."""
    if answer.length is None and not answer.chunked:
        return None  # its end comes when the connection closes, which may be never
    try:
        partial = json.loads(answer.read(_MOST_ANSWER_BYTES)).get("partialSuccess") or {}
        spans, message = int(partial.get("rejectedSpans") or 0), partial.get("errorMessage")
    except Exception:  # noqa: BLE001 - not a collector's
        return None
    return Rejected(spans, str(message or "")) if spans > 0 else None


def _rejected_by_grpc(answer: bytes) -> Rejected | None:
    try:
        messages = importlib.import_module(
            "opentelemetry.proto.collector.trace.v1.trace_service_pb2"
        )
        partial = messages.ExportTraceServiceResponse.FromString(answer).partial_success
        spans, message = int(partial.rejected_spans), str(partial.error_message)
    except Exception:  # noqa: BLE001 - as above
        return None
    return Rejected(spans, message) if spans > 0 else None


def without_user(endpoint: str) -> str:
    """An endpoint without the user and the password that may stand in it."""
    scheme, mark, rest = endpoint.partition("://")
    authority = re.split("[/?#]", rest, maxsplit=1)[0]
    address = authority.rpartition("@")[2]
    if mark and _HOST_AND_PORT.fullmatch(address):
        return f"{scheme}://{address}{rest[len(authority) :]}"
    # Not as a URL is written, so a password may be anywhere before the last of these.
    return endpoint.rpartition("@")[2]


def _parts(endpoint: str) -> tuple[str, str, int]:
    """Scheme, host and port. What `urlsplit` itself complains of may quote a password."""
    try:
        url = urlsplit(endpoint)
        port = url.port
    except ValueError:
        raise ValueError("it is not a URL: write http://host:port") from None
    if url.scheme not in ("http", "https") or not url.hostname:
        shown = endpoint.rpartition("@")[2].removesuffix("/v1/traces")
        raise ValueError(f"it is not a URL: write http://{shown}")
    return url.scheme, url.hostname, port or (443 if url.scheme == "https" else 80)


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _grpc_failure(failure: Any) -> Exception:
    code = failure.code().name
    if code == _SPENT_CODE and _SPENT_TRAILER in map(tuple, failure.trailing_metadata() or ()):
        return RunIsFull()
    return GrpcFailure(code, failure.details() or "no details")


def _title(protocol: str) -> str:
    return "gRPC" if protocol == GRPC else "HTTP"


def _is_answer(failure: Exception) -> bool:
    """Whether somebody answered in the protocol that was spoken, or nobody answers at all."""
    if isinstance(failure, urllib.error.HTTPError):
        return True
    if isinstance(failure, http.client.HTTPException):
        return False
    if isinstance(failure, GrpcFailure):
        # Nobody listens: UNAVAILABLE as much else is. The probe finds that out, and at once.
        return failure.code == "DEADLINE_EXCEEDED"
    reason = failure.reason if isinstance(failure, urllib.error.URLError) else failure
    return isinstance(reason, (ConnectionRefusedError, *_TIMEOUTS))


def _tls() -> ssl.SSLContext:
    tls = ssl.create_default_context(cafile=_file("CERTIFICATE"))
    own = _file("CLIENT_CERTIFICATE")
    if own is not None:
        tls.load_cert_chain(own, _file("CLIENT_KEY"))
    return tls


def _grpc_tls(grpc: Any) -> Any:
    return grpc.ssl_channel_credentials(
        _content("CERTIFICATE"), _content("CLIENT_KEY"), _content("CLIENT_CERTIFICATE")
    )


def _content(name: str) -> bytes | None:
    path = _file(name)
    if path is None:
        return None
    with open(path, "rb") as file:
        return file.read()


def _file(name: str) -> str | None:
    """As OpenTelemetry's exporters have it: the setting of traces before that of all signals."""
    given = os.environ.get(f"OTEL_EXPORTER_OTLP_TRACES_{name}")
    return given or os.environ.get(f"OTEL_EXPORTER_OTLP_{name}") or None
