"""Calls from Python to Java: Ray's own tracing passes them over."""

from __future__ import annotations

import functools
import threading
from contextlib import ExitStack, contextmanager
from typing import Any, Callable, Dict, Iterator

from opentelemetry import trace
from opentelemetry.context import get_current
from opentelemetry.trace import SpanKind, Tracer

from ._calls import CREATION, JOIN, RemoteCall
from ._carried import Carried, Sending, is_suppressed
from ._said import surprised

_STATE = threading.local()

# By which Ray knows a call, as attributes.
Ids = Dict[str, str]


def install(tracer: Tracer, run_id: str) -> None:
    """Wraps the three methods of Ray's through which calls between languages go, and what packs
    their arguments."""
    import ray
    from ray import actor, remote_function
    from ray._private import serialization

    sending_of = functools.partial(_sending, tracer, run_id, ray)

    def wrapped(
        original: Callable[..., Any],
        made: Callable[..., RemoteCall | None],
        ids: Callable[[Any, Any], Ids],
    ) -> Callable[..., Any]:
        # Ray's versions pass different arguments, so all of them are passed on unchanged.
        @functools.wraps(original)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                remote = made(*args, **kwargs)
            except Exception as e:  # noqa: BLE001 - tracing must never hurt its host
                surprised("a call", e)
                remote = None
            if remote is None:
                return original(*args, **kwargs)
            with sending_of(remote) as identify:
                returned = original(*args, **kwargs)
                identify(lambda: ids(args[0], returned))
                return returned

        return call

    pack = serialization.MessagePackSerializedObject

    def packed(*args: Any, **kwargs: Any) -> Any:
        sending: Sending | None = getattr(_STATE, "sending", None)
        if sending is not None and args and isinstance(args[0], bytes):
            args = (sending.load(args[0]), *args[1:])
        return pack(*args, **kwargs)

    function, creation, handle = remote_function.RemoteFunction, actor.ActorClass, actor.ActorHandle
    function._remote = wrapped(function._remote, _of_function, _ids_of_task)
    creation._remote = wrapped(creation._remote, _of_creation, _ids_of_creation)
    handle._actor_method_call = wrapped(handle._actor_method_call, _of_method, _ids_of_method)
    serialization.MessagePackSerializedObject = packed


def _java(descriptor: Any) -> Any:
    """The descriptor, if it is one of Java's."""
    return descriptor if type(descriptor).__name__ == "JavaFunctionDescriptor" else None


def _of_function(function: Any, *_: Any, **__: Any) -> RemoteCall | None:
    java = _java(getattr(function, "_function_descriptor", None))
    return None if java is None else RemoteCall(java.class_name, java.function_name, False)


def _of_creation(actor_class: Any, *_: Any, **__: Any) -> RemoteCall | None:
    metadata = getattr(actor_class, "__ray_metadata__", None)
    java = _java(getattr(metadata, "actor_creation_function_descriptor", None))
    return None if java is None else RemoteCall(java.class_name, "<init>", True)


def _of_method(handle: Any, method_name: str, *_: Any, **__: Any) -> RemoteCall | None:
    java = _java(getattr(handle, "_ray_actor_creation_function_descriptor", None))
    return None if java is None else RemoteCall(java.class_name, method_name, True)


def _ids_of_actor(handle: Any) -> Ids:
    found = getattr(handle, "_ray_actor_id", None)
    return {} if found is None else {"ray.actor_id": str(found.hex())}


def _ids_of_creation(_: Any, handle: Any) -> Ids:
    ids = _ids_of_actor(handle)
    return {**ids, **{"ray.task_id": CREATION + each for each in ids.values()}}


def _ids_of_task(_: Any, returned: Any) -> Ids:
    """Java methods without a result give a reference as well."""
    first = returned[0] if isinstance(returned, list) and returned else returned
    return {"ray.task_id": str(first.task_id().hex())} if hasattr(first, "task_id") else {}


def _ids_of_method(handle: Any, returned: Any) -> Ids:
    return {**_ids_of_actor(handle), **_ids_of_task(handle, returned)}


@contextmanager
def _sending(
    tracer: Tracer, run_id: str, ray: Any, call: RemoteCall
) -> Iterator[Callable[[Callable[[], Ids]], None]]:
    """A span around the call. Gives what takes the ids by which Ray knows it, once it is made."""
    with ExitStack() as stack:
        sending: Sending | None = None
        try:
            sending = _begin(tracer, run_id, ray, call, stack)
        except Exception as e:  # noqa: BLE001 - as above
            surprised("a call", e)

        def identify(ids: Callable[[], Ids]) -> None:
            try:
                if sending is not None:
                    _identify(sending, ids())
            except Exception as e:  # noqa: BLE001 - as above
                surprised("a call's ids", e)

        yield identify


def _begin(tracer: Tracer, run_id: str, ray: Any, call: RemoteCall, stack: ExitStack) -> Sending:
    current = get_current()
    span = (
        trace.INVALID_SPAN
        if is_suppressed(current)
        else tracer.start_span(f"{call.name} ray.remote", kind=SpanKind.PRODUCER)
    )
    stack.enter_context(trace.use_span(span, end_on_exit=True))
    if span.is_recording():
        span.set_attributes(call.attributes(ray))
    sending = Sending(span, Carried.now(get_current(), run_id))
    stack.callback(setattr, _STATE, "sending", getattr(_STATE, "sending", None))
    _STATE.sending = sending
    return sending


def _identify(sending: Sending, ids: Ids) -> None:
    sending.span.set_attributes(ids)
    if "ray.task_id" in ids and not sending.is_carried:
        sending.span.set_attribute(JOIN, "ray.task_id")
