"""Spans on their way out: recorded as they start and end, sent in batches."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from multiprocessing import util
from typing import Any, Mapping, Sequence

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from ._call_spans import CallSpan
from ._json import nanos
from ._place import Place, file_name
from ._recorder import Recorder
from ._log import warn

_PRODUCER = 4

# The SDK's 2,048 are full when a driver submits some thousand calls at once, which drops spans.
_QUEUE_SPANS = 16_384

_FLUSH_MILLIS = 2_000

# As often as the agent, so that the age of a span that stays open is right in a killed process.
_BEAT_SECONDS = 0.5
_BEAT_THREAD = "roll-otel-recorder"


class LazyRecorder:
    """The process's recorder, whose file is made with its first span; None where there is to be
    none, or none can be had."""

    def __init__(self, place: Place, identity: Mapping[str, Any], size: int) -> None:
        self._place = place
        self._identity = identity
        self._size = size
        self._lock = threading.Lock()
        self.opened: Recorder | None = None
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.leave)

    def get(self) -> Recorder | None:
        if self._size and self.opened is None:
            with self._lock:
                if self._size and self.opened is None:
                    self._open()
        return self.opened

    def _open(self) -> None:
        try:
            folder = self._place.output_dir / "open"
            name = file_name(self._place.instance)
            recorder = Recorder(folder, name, self._size, self._identity)
            self.opened = recorder
            beats = threading.Thread(target=_beat, args=[recorder], name=_BEAT_THREAD, daemon=True)
            with suppress(RuntimeError):  # the interpreter is ending
                beats.start()
        except Exception as e:  # noqa: BLE001 - tracing must never hurt its host
            self._size = 0
            warn(f"open spans are not recorded: {e}")

    def leave(self) -> None:
        """In a process that was forked off: the file is its parent's."""
        self._size = 0
        if self.opened is not None:
            self.opened.leave()

    def close(self) -> None:
        self._size = 0
        if self.opened is not None:
            self.opened.close()


class Batches(BatchSpanProcessor):
    """The SDK's batches, with a flight recorder beside its queue. Spans that a killed process had
    not sent yet are read from there; those of calls that it sent, only if it records calls."""

    def __init__(
        self,
        exporter: SpanExporter,
        recorder: LazyRecorder,
        delay_millis: int,
        records_calls: bool = True,
    ) -> None:
        self._recorder = recorder
        self._records_calls = records_calls
        given = os.environ.get("OTEL_BSP_MAX_QUEUE_SIZE")
        super().__init__(
            _Sent(exporter, recorder),
            max_queue_size=None if given else _QUEUE_SPANS,
            schedule_delay_millis=delay_millis,
        )
        util.register_after_fork(self, Batches._flush_at_end)

    def _flush_at_end(self) -> None:
        """In a process that `multiprocessing` has forked off, which ends without `atexit`."""
        util.Finalize(None, self.force_flush, args=(_FLUSH_MILLIS,), exitpriority=0)

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        context = span.get_span_context()
        recorder = self._recorder.get()
        if recorder is not None and context is not None and context.trace_flags.sampled:
            recorder.started(
                context.trace_id,
                context.span_id,
                span.parent.span_id if span.parent else 0,
                nanos(span.start_time),
                _name(span),
                span.kind.value + 1,  # OTLP counts from one
            )
        super().on_start(span, parent_context)

    def on_end(self, span: ReadableSpan) -> None:
        if self._records_calls or not isinstance(span, CallSpan):
            recorder = self._recorder.get()
            if recorder is not None:
                _record_end(recorder, span)
        super().on_end(span)

    def shutdown(self) -> None:
        super().shutdown()  # type: ignore[no-untyped-call, unused-ignore]
        self._recorder.close()


def _beat(recorder: Recorder) -> None:
    while recorder.beat():
        time.sleep(_BEAT_SECONDS)


def _name(span: Any) -> str:
    """A name may be anything, and this runs in the user's call."""
    try:
        return str(span.name)
    except Exception:  # noqa: BLE001 - tracing must never hurt its host
        return ""


def _record_end(recorder: Recorder, span: Any) -> None:
    if isinstance(span, CallSpan):
        context: Any = span
        kind, start, end, status = _PRODUCER, span.start, span.end_time, 0
    else:
        context = span.get_span_context()
        kind, status = span.kind.value + 1, span.status.status_code.value
        start, end = nanos(span.start_time), nanos(span.end_time)
    if context is not None and context.trace_flags.sampled:
        parent = span.parent.span_id if span.parent else 0
        recorder.ended(
            context.trace_id, context.span_id, parent, start, end, _name(span), kind, status
        )


class _Sent(SpanExporter):
    """Tells the recorder what has been sent."""

    def __init__(self, exporter: SpanExporter, recorder: LazyRecorder) -> None:
        self._exporter = exporter
        self._recorder = recorder

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = self._exporter.export(spans)
        recorder = self._recorder.opened
        if recorder is not None and result is SpanExportResult.SUCCESS:
            recorder.exported(map(_span_id, spans))
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._exporter.force_flush(timeout_millis)


def _span_id(span: Any) -> int:
    if isinstance(span, CallSpan):
        return span.span_id
    context = span.get_span_context()
    return context.span_id if context is not None else 0
