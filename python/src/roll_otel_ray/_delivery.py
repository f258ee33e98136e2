"""How a request travels: by HTTP or by gRPC, whichever the endpoint's port speaks."""

from __future__ import annotations

import gzip
import http.client
import importlib
import os
import socket
import ssl
import time
import urllib.error
import urllib.request
from typing import Any, Mapping, Sequence
from urllib.parse import urlsplit

from opentelemetry.sdk.trace import ReadableSpan

GRPC = "grpc"
HTTP = "http/protobuf"

_TIMEOUT_SECONDS = 3.0
_PROBE_SECONDS = 2.0
_PROBE_PAUSE_SECONDS = 3.0
_SPENT = 507  # the run has written what ROLL_OTEL_RUN_BYTES lets it
_GRPC_PORT = 4317
_METHOD = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
_FRAME_HEAD = 9


class RunIsFull(Exception):
    """The run's files may not grow any more, and the own file is one of them."""


class Delivery:
    """
    Sends to one endpoint. Where no protocol is set, port 4317 is gRPC, any other port begins with
    HTTP, and only a clear answer of the port changes that.
    """

    def __init__(self, endpoint: str, protocol: str | None) -> None:
        self.endpoint = endpoint
        url = urlsplit(endpoint)
        if url.scheme not in ("http", "https") or not url.hostname:
            shown = endpoint.rsplit("@", 1)[-1].removesuffix("/v1/traces")
            raise ValueError(f"it is no URL: write http://{shown}")
        self._host = url.hostname
        self._port = url.port or (443 if url.scheme == "https" else 80)
        self._is_encrypted = url.scheme == "https"
        self._is_set = protocol is not None
        self._protocol = protocol or (GRPC if self._port == _GRPC_PORT else HTTP)
        self._probed = -_PROBE_PAUSE_SECONDS
        self._opener: urllib.request.OpenerDirector | None = None
        self._channel: Any = None

    def send(
        self, headers: Mapping[str, str], spans: Sequence[ReadableSpan], request: bytes
    ) -> None:
        """Raises whatever went wrong."""
        try:
            self._send(headers, spans, request)
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
            self._send(headers, spans, request)

    def _send(
        self, headers: Mapping[str, str], spans: Sequence[ReadableSpan], request: bytes
    ) -> None:
        if self._protocol == GRPC:
            self._send_by_grpc(headers, spans)
        else:
            self._post(headers, request)

    def _post(self, headers: Mapping[str, str], request: bytes) -> None:
        all_headers = {
            "Content-Type": "application/json",
            "Content-Encoding": "gzip",
            **headers,
        }
        post = urllib.request.Request(self.endpoint, gzip.compress(request, 1), all_headers)
        if self._opener is None:
            # Straight to the collector: a proxy is of no use on the way to one's own driver.
            handlers: list[urllib.request.BaseHandler] = [urllib.request.ProxyHandler({})]
            if self._is_encrypted:
                handlers.append(urllib.request.HTTPSHandler(context=_tls()))
            self._opener = urllib.request.build_opener(*handlers)
        try:
            with self._opener.open(post, timeout=_TIMEOUT_SECONDS):
                pass
        except urllib.error.HTTPError as e:
            if e.code == _SPENT:
                raise RunIsFull from e
            raise

    def _send_by_grpc(self, headers: Mapping[str, str], spans: Sequence[ReadableSpan]) -> None:
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
            target = f"[{self._host}]" if ":" in self._host else self._host
            # As for HTTP: a proxy is of no use on the way to one's own driver.
            options = [("grpc.enable_http_proxy", 0)]
            self._channel = (
                grpc.secure_channel(f"{target}:{self._port}", _grpc_tls(grpc), options)
                if self._is_encrypted
                else grpc.insecure_channel(f"{target}:{self._port}", options)
            )
        self._channel.unary_unary(_METHOD)(
            encoder.encode_spans(spans).SerializeToString(),
            timeout=_TIMEOUT_SECONDS,
            metadata=[(name.lower(), value) for name, value in headers.items()],
            compression=grpc.Compression.Gzip,
        )

    def _is_other(self) -> bool:
        """Whether the port's answers show that it speaks the other protocol, and it alone."""
        now = time.monotonic()
        if now - self._probed < _PROBE_PAUSE_SECONDS:
            return False
        self._probed = now
        speaks_grpc = self._answer("h2", _PREFACE)[3:5] == b"\x04\x00"
        options = f"OPTIONS * HTTP/1.1\r\nHost: {self._host}\r\nConnection: close\r\n\r\n"
        speaks_http = self._answer("http/1.1", options.encode()).startswith(b"HTTP/1.")
        return speaks_http != speaks_grpc and speaks_http == (self._protocol == GRPC)

    def _answer(self, application: str, question: bytes) -> bytes:
        """The first bytes of what the port answers, fewer where it does not."""
        answer = b""
        try:
            with socket.create_connection((self._host, self._port), _PROBE_SECONDS) as plain:
                tls = _tls() if self._is_encrypted else None
                if tls is not None:
                    tls.set_alpn_protocols([application])
                asked = tls.wrap_socket(plain, server_hostname=self._host) if tls else plain
                with asked:
                    asked.sendall(question)
                    while len(answer) < _FRAME_HEAD:
                        more = asked.recv(_FRAME_HEAD - len(answer))
                        if not more:
                            break
                        answer += more
        except OSError:
            pass  # what has come is the answer
        return answer


def _title(protocol: str) -> str:
    return "gRPC" if protocol == GRPC else "HTTP"


def _is_answer(failure: Exception) -> bool:
    """Whether somebody answered in the protocol that was spoken, or nobody listens at all."""
    if isinstance(failure, urllib.error.HTTPError):
        return True
    if isinstance(failure, http.client.HTTPException):
        return False
    reason = failure.reason if isinstance(failure, urllib.error.URLError) else failure
    return isinstance(reason, (ConnectionRefusedError, TimeoutError))


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
