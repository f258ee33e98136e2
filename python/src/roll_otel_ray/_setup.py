"""The door: what drivers and workers call."""

from __future__ import annotations

import os
import re
import threading

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider

from . import _host_files, _senders
from ._batches import Batches, LazyRecorder
from ._call_spans import CallSpans
from ._calls import take_over_from_ray
from ._executions import Executions
from ._export import RunExporter
from ._ids import TraceIds
from ._place import Place, is_enabled
from ._recorder import recorder_bytes
from ._log import warn

_SCOPE = "ray"

# As Ray's own tracing may be told of `setup`.
_HOOK = "roll_otel_ray:setup"

# Ray's workers are ended without notice; what a driver has is sent when it ends.
_WORKER_DELAY_MILLIS = 50
_DRIVER_DELAY_MILLIS = 500
_FLUSH_MILLIS = 2_000
_DELAY = re.compile(r"([0-9]+)\s*(ms|s)?")
_MOST_DELAY_MILLIS = 3_600_000

# Of one process alone.
_OWN = ("OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES", "ROLL_OTEL_INSTANCE")

_lock = threading.Lock()
_place: Place | None = None


def setup() -> None:
    """Traces this process's calls: to and from Java, and from Python to Python unless Ray's own
    tracing does.

    Call it in a driver before the first call, and name it to the workers
    (`runtime_env={"worker_process_setup_hook": "roll_otel_ray.setup"}`); it may also be Ray's own
    `_tracing_startup_hook="roll_otel_ray:setup"`. Does nothing without ROLL_OTEL_ENABLED, and
    nothing the second time. Never raises: what goes wrong is one line on stderr.
    """
    try:
        if not is_enabled(os.environ):
            return
        with _lock:
            if _place is None:
                _install()
        take_over_from_ray(_HOOK)
    except Exception as e:  # noqa: BLE001 - tracing must never hurt its host
        warn(f"Ray's calls stay untraced in Python: {e!r}")


def _install() -> None:
    global _place
    _place = Place(os.environ)
    provider, spans = _provider(_place)
    tracer = provider.get_tracer(_SCOPE)
    _senders.install(tracer, _place.run_id, spans)
    ids = provider.id_generator
    traces = ids.of_task if isinstance(ids, TraceIds) else None
    Executions(tracer, lambda: _flush(provider), traces=traces).install()
    _host_files.install(_place)


def worker_environment() -> dict[str, str]:
    """What the job's workers need, Java's and Python's, for `runtime_env={"env_vars": …}`; empty
    where tracing is off."""
    try:
        return _worker_environment() if is_enabled(os.environ) else {}
    except Exception as e:  # noqa: BLE001 - tracing must never hurt its host
        warn(f"the job's workers get no settings, and stay untraced: {e!r}")
        return {}


def _worker_environment() -> dict[str, str]:
    place = _place or Place(os.environ)
    variables = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(("ROLL_OTEL_", "OTEL_")) and name not in _OWN
    }
    variables["ROLL_OTEL_ROLE"] = "worker"
    variables["ROLL_OTEL_OUTPUT_DIR"] = str(place.output_dir)
    variables["ROLL_OTEL_RUN_ID"] = place.run_id
    return variables


def _provider(place: Place) -> tuple[TracerProvider, CallSpans | None]:
    """The application's own, if it has set one: its spans and these are one tree."""
    existing = trace.get_tracer_provider()
    if isinstance(existing, TracerProvider):
        return existing, None
    identity: dict[str, str | int] = {
        "service.name": place.service_name,
        "service.instance.id": place.instance,
        "host.name": place.host,
        "process.pid": os.getpid(),
        "roll.run_id": place.run_id,
    }
    provider = TracerProvider(
        resource=Resource.create({**identity}), id_generator=TraceIds(place.run_id)
    )
    delay = delay_millis(
        os.environ.get("OTEL_BSP_SCHEDULE_DELAY", ""),
        _WORKER_DELAY_MILLIS if place.is_worker else _DRIVER_DELAY_MILLIS,
    )
    size = recorder_bytes(os.environ.get("ROLL_OTEL_RECORDER_BYTES", ""))
    recorder = LazyRecorder(place, identity, size)
    # A driver's calls are not recorded: that would add to their cost.
    processor = Batches(RunExporter(place), recorder, delay, records_calls=place.is_worker)
    provider.add_span_processor(processor)
    trace.set_tracer_provider(provider)
    return provider, CallSpans(provider, processor, _SCOPE)


def delay_millis(given: str, default: int) -> int:
    """The value of OTEL_BSP_SCHEDULE_DELAY. A Java driver hands it on, and Java takes `500ms` and
    `1s` as well. The SDK for Python takes five seconds for what it does not understand, and
    refuses 0."""
    match = _DELAY.fullmatch(given.strip().lower())
    if match:
        millis = int(match[1]) * (1000 if match[2] == "s" else 1)
        return min(max(1, millis), _MOST_DELAY_MILLIS)
    if given.strip():
        warn(f"OTEL_BSP_SCHEDULE_DELAY={given} is not understood; write milliseconds, such as 500")
    return default


def _flush(provider: TracerProvider) -> None:
    try:
        provider.force_flush(_FLUSH_MILLIS)
    except Exception as e:  # noqa: BLE001 - as above
        warn(f"spans could not be flushed: {e!r}")
