"""Where this process stands in its run: what the environment and the driver's address file say."""

from __future__ import annotations

import os
import re
import secrets
import socket
import sys
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import Mapping
from urllib.parse import unquote

from ._delivery import GRPC, HTTP
from ._driver_file import DriverFile, is_loopback, is_usable
from ._log import warn

_ON = ("1", "true", "yes", "on")

_KEPT = ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd")

# No file system takes a name of more than 255 bytes; an ending and a number follow.
_MOST_NAME_BYTES = 200
_NAME_KEPT_BYTES = 150

# The job's metadata come behind what the user has written, so the last one counts.
_SUBMISSION_ID = re.compile(r'"job_submission_id": *"([^"]*)"')
_CACHE = re.compile(r"(.*)/session_[^/]+/runtime_resources/.*", re.DOTALL)
_STRANGE = re.compile(r"^\.|[^A-Za-z0-9._-]")
_MOST_ID = 150
_NEXT_ENDPOINT = re.compile(r",(?= *[A-Za-z]+://)")

_logged: set[str] = set()


def is_enabled(environment: Mapping[str, str]) -> bool:
    if environment.get("ROLL_OTEL_ENABLED", "").strip().lower() not in _ON:
        return False
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        _say_once("tracing is off: OTEL_SDK_DISABLED is true")
        return False
    return True


@dataclass(frozen=True)
class Collector:
    """Who takes spans, and by which of OTLP's protocols: None where that is to be found out."""

    endpoint: str
    headers: Mapping[str, str] = field(default_factory=dict)
    protocol: str | None = None


class Place:
    """The settings of this process; read when they are asked for, since a driver's collector may
    come later than its workers."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        given = environment.get("ROLL_OTEL_OUTPUT_DIR", "").strip()
        of_job = None if given else job_output_dir(environment, os.getcwd())
        self.output_dir = Path(given or of_job or "output/otlp").absolute()
        _say_output_dir(self.output_dir, of_job is not None)
        self._driver = DriverFile(self.output_dir / "traces" / ".driver")
        self.host = socket.gethostname()
        # An interpreter inside another program may have no arguments.
        self._program = Path(next(iter(getattr(sys, "argv", None) or ()), ""))
        self.is_worker = self._program.name == "default_worker.py"
        process = f"{self.host}:{os.getpid()}"
        given = environment.get("ROLL_OTEL_INSTANCE", "").strip()
        worker = environment.get("WORKER_NAME", "").strip()
        self.instance = given or worker or process
        # What a worker starts inherits its WORKER_NAME.
        self._file = given or (f"{worker}-{process}" if worker else process)
        known = environment.get("ROLL_OTEL_RUN_ID", "") or self._driver.read().get("run_id", "")
        self.run_id = known or secrets.token_hex(8)

    @property
    def service_name(self) -> str:
        named = self._environment.get("OTEL_SERVICE_NAME") or self._environment.get("CLUSTER_NAME")
        if named:
            return named
        return "ray-worker" if self.is_worker else self._program.stem or "python"

    @property
    def drops_spans(self) -> bool:
        """Whether the user wants the context to travel, and spans to go nowhere."""
        names = self._environment.get("OTEL_TRACES_EXPORTER", "").strip().lower()
        return names == "none"

    @property
    def own_file(self) -> Path:
        """Where spans go that nobody takes; the report finds them there."""
        return self.output_dir / "traces" / f"{file_name(self._file)}.jsonl"

    def collectors(self) -> list[Collector]:
        """The endpoints of the environment, of which one has to take the spans, else the run's
        driver; none where nobody collects now."""
        if self._environment.get("ROLL_OTEL_EXPORTER", "").lower() == "file":
            return []
        traces = self._environment.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
        base = self._environment.get("OTEL_EXPORTER_OTLP_ENDPOINT")
        if traces:
            urls = endpoints(traces)
        else:
            urls = [url.rstrip("/") + "/v1/traces" for url in endpoints(base)] if base else []
        if urls:
            return [Collector(url, self._headers(), self._protocol()) for url in urls]
        driver = self._drivers()
        return [driver] if driver else []

    def collector(self) -> Collector | None:
        """The first of them."""
        return next(iter(self.collectors()), None)

    def _drivers(self) -> Collector | None:
        address = self._driver.read()
        endpoint, token = address.get("endpoint", ""), address.get("token", "")
        if not is_usable(endpoint, token):
            return None
        if is_loopback(endpoint) and address.get("host") != self.host:
            return None  # of another host, on a shared file system
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return Collector(endpoint.rstrip("/") + "/v1/traces", headers, HTTP)

    def _protocol(self) -> str | None:
        given = self._environment.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or (
            self._environment.get("OTEL_EXPORTER_OTLP_PROTOCOL")
        )
        if not given:
            return None
        return GRPC if given.strip().lower() == GRPC else HTTP

    def _headers(self) -> dict[str, str]:
        text = self._environment.get("OTEL_EXPORTER_OTLP_TRACES_HEADERS") or self._environment.get(
            "OTEL_EXPORTER_OTLP_HEADERS", ""
        )
        pairs = (pair.split("=", 1) for pair in text.split(",") if "=" in pair)
        return {key.strip(): unquote(value.strip()) for key, value in pairs}


def endpoints(given: str) -> list[str]:
    """The addresses of a list, as the Java agent reads it: at each comma behind which another scheme
    begins."""
    return [url.strip() for url in _NEXT_ENDPOINT.split(given)]


def job_output_dir(environment: Mapping[str, str], working_directory: str) -> str | None:
    """Where the traces of a driver go that `ray job submit` has started, None of any other. Its
    working directory may be a copy of the user's that Ray deletes when the job is over, so they lie
    beside Ray's sessions. The agent's SubmittedJob has the same rule: both must find the same
    folder."""
    ids = _SUBMISSION_ID.findall(environment.get("RAY_JOB_CONFIG_JSON_ENV_VAR", ""))
    if not ids or not ids[-1]:
        return None
    name = _STRANGE.sub("-", ids[-1])[:_MOST_ID]
    return f"{_sessions(environment, working_directory)}/roll-otel/{name}"


def _sessions(environment: Mapping[str, str], working_directory: str) -> str:
    """Ray's temporary folder. A process that a driver starts elsewhere still inherits PWD."""
    for directory in (working_directory, environment.get("PWD", "")):
        in_cache = _CACHE.fullmatch(directory + "/")
        if in_cache:
            return in_cache.group(1)
    given = environment.get("RAY_TMPDIR") or environment.get("TMPDIR")
    return given + "/ray" if given else "/tmp/ray"


def _say_output_dir(output_dir: Path, is_of_job: bool) -> None:
    """Tells who could not know it where a submitted job's traces go, and what Ray will delete."""
    if is_of_job:
        _say_once(f"the traces of this submitted job go to {output_dir}")
    elif _CACHE.fullmatch(str(output_dir)):
        _say_once(
            f"the traces go to {output_dir}, which Ray deletes:"
            " set ROLL_OTEL_OUTPUT_DIR to a folder that outlives the job"
        )


def _say_once(line: str) -> None:
    if line not in _logged:
        _logged.add(line)
        warn(line)


def file_name(instance: str) -> str:
    """What files of a process are called, as the Java agent calls them: of a long name its
    beginning and a hash of all."""
    encoded = instance.encode("utf-16-le", "surrogatepass")
    units = [encoded[i] | encoded[i + 1] << 8 for i in range(0, len(encoded), 2)]
    hashed = size = kept = 0
    for i, unit in enumerate(units):
        hashed = (31 * hashed + unit) & 0xFFFF_FFFF_FFFF_FFFF
        size += 1 if unit < 0x80 else 3
        if size <= _NAME_KEPT_BYTES:
            kept = i + 1
    name = "".join(chr(unit) if _stays(chr(unit)) else "-" for unit in units)
    return name if size <= _MOST_NAME_BYTES else f"{name[:kept]}-{hashed:x}"


def _stays(character: str) -> bool:
    # Letters and decimal digits; str.isalnum would take fractions, too.
    return character in "._-" or unicodedata.category(character) in _KEPT
