"""Where this process stands in its run: what the environment and the driver's address file say."""

from __future__ import annotations

import os
import secrets
import socket
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Mapping
from urllib.parse import unquote, urlsplit

_ON = ("1", "true", "yes", "on")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def is_enabled(environment: Mapping[str, str]) -> bool:
    return environment.get("ROLL_OTEL_ENABLED", "").strip().lower() in _ON


def say(line: str) -> None:
    print("[roll-otel] " + line, file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Collector:
    """Who takes spans by OTLP over HTTP."""

    endpoint: str
    headers: Mapping[str, str] = field(default_factory=dict)


class Place:
    """The settings of this process; read when they are asked for, since a driver's collector may
    come later than its workers."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        given = environment.get("ROLL_OTEL_OUTPUT_DIR", "").strip()
        self.output_dir = Path(given or "output/otlp").absolute()
        self.host = socket.gethostname()
        self.is_worker = Path(sys.argv[0]).name == "default_worker.py"
        self.instance = environment.get("ROLL_OTEL_INSTANCE", "") or f"{self.host}:{os.getpid()}"
        known = environment.get("ROLL_OTEL_RUN_ID", "") or self._address().get("run_id", "")
        self.run_id = known or secrets.token_hex(8)

    @property
    def service_name(self) -> str:
        named = self._environment.get("OTEL_SERVICE_NAME") or self._environment.get("CLUSTER_NAME")
        if named:
            return named
        return "ray-worker" if self.is_worker else Path(sys.argv[0]).stem or "python"

    @property
    def own_file(self) -> Path:
        """Where spans go that nobody takes; the report finds them there."""
        name = "".join(c if c.isalnum() or c in "._-" else "-" for c in self.instance)
        return self.output_dir / "traces" / f"{name}.jsonl"

    def collector(self) -> Collector | None:
        """The endpoint of the environment, else that of the run's driver; None where nobody
        collects now."""
        if self._environment.get("ROLL_OTEL_EXPORTER", "").lower() == "file":
            return None
        traces = self._environment.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
        base = self._environment.get("OTEL_EXPORTER_OTLP_ENDPOINT")
        if traces or base:
            url = traces or str(base).rstrip("/") + "/v1/traces"
            return Collector(url, self._headers())
        address = self._address()
        endpoint = address.get("endpoint", "")
        if not endpoint:
            return None
        if urlsplit(endpoint).hostname in _LOOPBACK and address.get("host") != self.host:
            return None  # of another host, on a shared file system
        token = address.get("token", "")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return Collector(endpoint.rstrip("/") + "/v1/traces", headers)

    def _headers(self) -> dict[str, str]:
        text = self._environment.get("OTEL_EXPORTER_OTLP_TRACES_HEADERS") or self._environment.get(
            "OTEL_EXPORTER_OTLP_HEADERS", ""
        )
        pairs = (pair.split("=", 1) for pair in text.split(",") if "=" in pair)
        return {key.strip(): unquote(value.strip()) for key, value in pairs}

    def _address(self) -> dict[str, str]:
        """The driver's file, in the form of Java's properties; empty where there is none."""
        try:
            text = (self.output_dir / "traces" / ".driver").read_text("latin-1")
        except OSError:
            return {}
        pairs = (line.split("=", 1) for line in text.splitlines() if not line.startswith("#"))
        return {pair[0]: pair[1].replace("\\", "") for pair in pairs if len(pair) == 2}
