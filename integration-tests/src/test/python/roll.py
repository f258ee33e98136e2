"""ROLL's trace semantics in a few lines, by their documentation: what the Java agent must agree with.

Our own code. It does what ROLL says it does with a payload's meta_info; the exporting, the object
store and the span ``exec`` (which says nothing here) are left out.
"""

import contextlib
import contextvars
import functools

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

KEY = "_otel_ctx"

_W3C = TraceContextTextMapPropagator()
_NOOP = trace.NoOpTracerProvider()
_suppressed = contextvars.ContextVar("suppressed", default=False)


class Payload:
    """A DataProto: all that matters of it."""

    def __init__(self, meta_info):
        self.meta_info = meta_info


def inject(meta_info, context=None):
    headers = {}
    _W3C.inject(headers, context)
    meta_info[KEY] = headers
    return meta_info


def extract(meta_info):
    if meta_info is None:
        return otel_context.Context()
    return _W3C.extract(meta_info.get(KEY, {}), otel_context.Context())


@contextlib.contextmanager
def attach(meta_info):
    """The payload's context is current inside; without the key, tracing is suppressed."""
    before = otel_context.attach(extract(meta_info))
    flag = _suppressed.set(meta_info is None or KEY not in meta_info)
    try:
        yield
    finally:
        _suppressed.reset(flag)
        otel_context.detach(before)


def suppressed():
    return _suppressed.get()


def get_tracer(name="roll"):
    return _NOOP.get_tracer(name) if suppressed() else trace.get_tracer(name)


def register(traced):
    """The worker's side: the first payload among the arguments gives the parent."""

    def decorate(method):
        @functools.wraps(method)
        def call(*arguments, **named):
            meta_info = {}
            if traced:
                every = [*arguments, *named.values()]
                payloads = (each for each in every if isinstance(each, Payload))
                meta_info = next((each.meta_info for each in payloads), {})
            with attach(meta_info):
                with get_tracer("worker").start_as_current_span("worker." + method.__name__):
                    return method(*arguments, **named)

        return call

    return decorate
