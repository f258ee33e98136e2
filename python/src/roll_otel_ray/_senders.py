"""Calls from Python to Java: Ray's own tracing passes them over."""

from __future__ import annotations

import functools
import threading
from contextlib import contextmanager
from typing import Any, Callable, Iterator

from opentelemetry import trace
from opentelemetry.context import get_current
from opentelemetry.trace import SpanKind, Tracer

from ._calls import CREATION, JOIN, RemoteCall
from ._carried import Carried, Sending, is_suppressed

_STATE = threading.local()


def install(tracer: Tracer, run_id: str) -> None:
    """Wraps the three methods of Ray's through which calls between languages go, and what packs
    their arguments."""
    import ray
    from ray import actor, remote_function
    from ray._private import serialization

    sending_of = functools.partial(_sending, tracer, run_id, ray)

    def remote(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            java = _java(getattr(self, "_function_descriptor", None))
            if java is None:
                return original(self, *args, **kwargs)
            made = RemoteCall(java.class_name, java.function_name, False)
            with sending_of(made) as sending:
                returned = original(self, *args, **kwargs)
                _identify(sending, _task_of(returned))
                return returned

        return call

    def create(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            metadata = getattr(self, "__ray_metadata__", None)
            java = _java(getattr(metadata, "actor_creation_function_descriptor", None))
            if java is None:
                return original(self, *args, **kwargs)
            with sending_of(RemoteCall(java.class_name, "<init>", True)) as sending:
                handle = original(self, *args, **kwargs)
                actor_id = _actor_of(handle, sending)
                _identify(sending, CREATION + actor_id if actor_id else "")
                return handle

        return call

    def method(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def call(self: Any, method_name: str, *args: Any, **kwargs: Any) -> Any:
            java = _java(getattr(self, "_ray_actor_creation_function_descriptor", None))
            if java is None:
                return original(self, method_name, *args, **kwargs)
            with sending_of(RemoteCall(java.class_name, method_name, True)) as sending:
                _actor_of(self, sending)
                returned = original(self, method_name, *args, **kwargs)
                _identify(sending, _task_of(returned))
                return returned

        return call

    pack = serialization.MessagePackSerializedObject

    def packed(metadata: bytes, *rest: Any) -> Any:
        sending: Sending | None = getattr(_STATE, "sending", None)
        return pack(metadata if sending is None else sending.load(metadata), *rest)

    remote_function.RemoteFunction._remote = remote(remote_function.RemoteFunction._remote)
    actor.ActorClass._remote = create(actor.ActorClass._remote)
    actor.ActorHandle._actor_method_call = method(actor.ActorHandle._actor_method_call)
    serialization.MessagePackSerializedObject = packed


def _java(descriptor: Any) -> Any:
    """The descriptor, if it is one of Java's."""
    return descriptor if type(descriptor).__name__ == "JavaFunctionDescriptor" else None


@contextmanager
def _sending(
    tracer: Tracer, run_id: str, ray: Any, call: RemoteCall
) -> Iterator[Sending]:
    current = get_current()
    span = (
        trace.INVALID_SPAN
        if is_suppressed(current)
        else tracer.start_span(f"{call.name} ray.remote", kind=SpanKind.PRODUCER)
    )
    if span.is_recording():
        span.set_attributes(call.attributes(ray))
    with trace.use_span(span, end_on_exit=True):
        sending = Sending(span, Carried.now(get_current(), run_id))
        outer = getattr(_STATE, "sending", None)
        _STATE.sending = sending
        try:
            yield sending
        finally:
            _STATE.sending = outer


def _identify(sending: Sending, task_id: str) -> None:
    if task_id:
        sending.span.set_attribute("ray.task_id", task_id)
        if not sending.is_carried:
            sending.span.set_attribute(JOIN, "ray.task_id")


def _actor_of(handle: Any, sending: Sending) -> str:
    found = getattr(handle, "_ray_actor_id", None)
    actor_id = "" if found is None else str(found.hex())
    if actor_id:
        sending.span.set_attribute("ray.actor_id", actor_id)
    return actor_id


def _task_of(returned: Any) -> str:
    """Java methods without a result give a reference as well."""
    first = returned[0] if isinstance(returned, list) and returned else returned
    return str(first.task_id().hex()) if hasattr(first, "task_id") else ""
