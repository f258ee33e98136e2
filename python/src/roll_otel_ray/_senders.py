"""Calls from Python: to Java, which Ray's own tracing passes over, and to Python where that is
off."""

from __future__ import annotations

import functools
import importlib
import inspect
import threading
from typing import Any, Callable

from opentelemetry import trace
from opentelemetry.context import get_current
from opentelemetry.trace import Span, SpanKind, Tracer

from ._call_spans import CallSpan, CallSpans
from ._calls import (
    CREATION,
    JOIN,
    Ids,
    RemoteCall,
    annotate,
    fail,
    is_rays_own,
    ray_traces_itself,
)
from ._carried import Carried, is_suppressed
from ._log import warn, warn_unexpected

# Arguments that every language reads, and those that Python alone does.
_MAY_CARRY = (b"XLANG", b"PYTHON")

# Of an object's id, which begins with its task's; to take that out as such costs as much again.
_TASK_ID_DIGITS = 48

# The call that this thread is submitting now; its arguments are packed meanwhile.
_STATE = threading.local()


def install(tracer: Tracer, run_id: str, spans: CallSpans | None = None) -> None:
    """Wraps the three methods of Ray's through which calls go, and what packs their arguments."""
    import ray
    from ray import actor, remote_function
    from ray._private import serialization, worker

    senders = _Senders(tracer, run_id, spans, ray)
    pack = serialization.MessagePackSerializedObject
    put = worker.Worker.put_object

    def packed(*args: Any, **kwargs: Any) -> Any:
        sending: Sending | None = getattr(_STATE, "sending", None)
        if sending is not None and args and isinstance(args[0], bytes):
            args = (sending.load(args[0]), *args[1:])
        return pack(*args, **kwargs)

    @functools.wraps(put)
    def put_object(*args: Any, **kwargs: Any) -> Any:
        # Packing an argument may put other objects; the context is not theirs.
        outer = getattr(_STATE, "sending", None)
        _STATE.sending = None
        try:
            return put(*args, **kwargs)
        finally:
            _STATE.sending = outer

    function, creation, handle = remote_function.RemoteFunction, actor.ActorClass, actor.ActorHandle
    function._remote = senders.around(function._remote, _of_function, _ids_of_task)
    creation._remote = senders.around(
        _past_rays_tracing(creation._remote), _of_creation, _ids_of_creation
    )
    handle._actor_method_call = senders.around(
        handle._actor_method_call, _of_method, _ids_of_method
    )
    serialization.MessagePackSerializedObject = packed
    worker.Worker.put_object = put_object


class Sending:
    """A call that is being submitted, until an argument has taken its context along."""

    def __init__(self, call: RemoteCall, span: Span | CallSpan, carried: Carried | None) -> None:
        self.call = call
        self.span = span
        self._carried = carried
        self.is_carried = False

    def load(self, metadata: bytes) -> bytes:
        """An argument's metadata, with the context if it is the first that may have it."""
        if self.is_carried or self._carried is None or metadata not in _MAY_CARRY:
            return metadata
        self.is_carried = True
        return self._carried.behind(metadata)


class _Senders:
    """Makes a span around each call that this process submits."""

    def __init__(self, tracer: Tracer, run_id: str, spans: CallSpans | None, ray: Any) -> None:
        self._tracer = tracer
        self._run_id = run_id
        self._spans = spans
        self._ray = ray
        self._is_by_client = _by_client()
        self._is_client_logged = False

    def around(
        self,
        original: Callable[..., Any],
        made: Callable[..., RemoteCall | None],
        ids: Callable[[Any, Any], Ids],
    ) -> Callable[..., Any]:
        # Ray's versions pass different arguments, so all of them are passed on unchanged.
        @functools.wraps(original)
        def call(*args: Any, **kwargs: Any) -> Any:
            sending: Sending | None = None
            try:
                remote = made(*args, **kwargs)
                if remote is not None:
                    sending = self._begin(remote)
            except Exception as e:  # noqa: BLE001 - tracing must never hurt its host
                warn_unexpected("a call", e)
            outer = getattr(_STATE, "sending", None)
            _STATE.sending = sending
            try:
                returned = original(*args, **kwargs)
            except BaseException as e:
                if sending is not None:
                    self._fail(sending, e)
                raise
            finally:
                _STATE.sending = outer
            if sending is not None:
                self._end(sending, ids, args[0], returned)
            return returned

        return call

    def _begin(self, call: RemoteCall) -> Sending:
        if self._is_by_client():
            # A server on the cluster submits it, where no context arrives.
            self._say_by_client()
            return Sending(call, trace.INVALID_SPAN, None)
        context = get_current()
        if is_suppressed(context):
            return Sending(call, trace.INVALID_SPAN, Carried.nothing_now())
        name = call.name + " ray.remote"
        own = None if self._spans is None else self._spans.start(name, context)
        if own is not None:
            carried = Carried.now(own.trace_id, own.span_id, own.trace_flags, self._run_id)
            return Sending(call, own, carried)
        span = self._tracer.start_span(name, context, SpanKind.PRODUCER)
        of = span.get_span_context()
        if not of.is_valid:
            return Sending(call, span, None)
        carried = Carried.now(of.trace_id, of.span_id, of.trace_flags, self._run_id)
        return Sending(call, span, carried)

    def _say_by_client(self) -> None:
        if not self._is_client_logged:
            self._is_client_logged = True
            warn(
                "calls by Ray Client (ray://) are not traced: start the driver on the cluster, as"
                " ray job submit does"
            )

    def _end(
        self, sending: Sending, ids: Callable[[Any, Any], Ids], of: Any, returned: Any
    ) -> None:
        try:
            span = sending.span
            if span is trace.INVALID_SPAN:
                return
            found = ids(of, returned)
            if not sending.is_carried and "ray.task_id" in found:
                found[JOIN] = "ray.task_id"
            described = sending.call.described(self._ray)
            if isinstance(span, CallSpan):
                span.end(described, found)
                return
            if span.is_recording():
                annotate(span, {**described.attributes, **found})
            span.end()
        except Exception as e:  # noqa: BLE001 - as above
            warn_unexpected("a call's ids", e)

    def _fail(self, sending: Sending, failure: BaseException) -> None:
        try:
            span = sending.span
            if isinstance(span, CallSpan):
                span = self._tracer.start_span(
                    span.name, get_current(), SpanKind.PRODUCER, start_time=span.start
                )
            if span.is_recording():
                annotate(span, sending.call.described(self._ray).attributes)
            fail(span, failure)
            span.end()
        except Exception as e:  # noqa: BLE001 - as above
            warn_unexpected("a call's failure", e)


def _by_client() -> Callable[[], bool]:
    """Ray's own check, by which it hands a call to Ray Client."""
    try:
        hook = importlib.import_module("ray._private.client_mode_hook")
        check: Callable[[], bool] = hook.client_mode_should_convert
        return check
    except Exception:  # noqa: BLE001 - a version of Ray without it
        return lambda: False


def _past_rays_tracing(create: Callable[..., Any]) -> Callable[..., Any]:
    """Ray's tracing hands the creation of a Java actor a keyword, which Java cannot be handed."""
    plain = inspect.unwrap(create)

    @functools.wraps(create)
    def past(*args: Any, **kwargs: Any) -> Any:
        is_javas = False
        try:
            is_javas = ray_traces_itself() and _is_java(_creation(args[0]))
        except Exception as e:  # noqa: BLE001 - as above
            warn_unexpected("a creation", e)
        return (plain if is_javas else create)(*args, **kwargs)

    return past


# The same for the same call, which keeps what has been worked out of it.
_one = functools.lru_cache(maxsize=1024)(RemoteCall)


def _call(descriptor: Any, method: str, is_actor: bool) -> RemoteCall | None:
    """What is called; None where no span is to be made for it here."""
    if _is_java(descriptor):
        return _one(descriptor.class_name, method, is_actor)
    if method.startswith("__ray") or ray_traces_itself() or not _is_python(descriptor):
        return None
    class_name = descriptor.class_name
    owner = descriptor.module_name
    if class_name:
        owner = f"{owner}.{class_name}"
    return None if is_rays_own(owner, method) else _one(owner, method, is_actor)


def _is_java(descriptor: Any) -> bool:
    return type(descriptor).__name__ == "JavaFunctionDescriptor"


def _is_python(descriptor: Any) -> bool:
    return type(descriptor).__name__ == "PythonFunctionDescriptor"


def _creation(actor_class: Any) -> Any:
    metadata = getattr(actor_class, "__ray_metadata__", None)
    return getattr(metadata, "actor_creation_function_descriptor", None)


def _of_function(function: Any, *_: Any, **__: Any) -> RemoteCall | None:
    descriptor = function._function_descriptor
    if descriptor is None:  # until it has been called once
        raylet: Any = importlib.import_module("ray._raylet")
        descriptor = raylet.PythonFunctionDescriptor.from_function(
            function._function, function._uuid
        )
    return _call(descriptor, descriptor.function_name, False)


def _of_creation(actor_class: Any, *_: Any, **options: Any) -> RemoteCall | None:
    if options.get("get_if_exists"):
        return None  # Ray calls this method again if it does not
    descriptor = _creation(actor_class)
    return _call(descriptor, "<init>" if _is_java(descriptor) else "__init__", True)


def _of_method(handle: Any, method_name: str, *_: Any, **__: Any) -> RemoteCall | None:
    return _call(handle._ray_actor_creation_function_descriptor, method_name, True)


def _ids_of_actor(handle: Any) -> Ids:
    found = getattr(handle, "_ray_actor_id", None)
    return {} if found is None else {"ray.actor_id": _hex(found)}


@functools.lru_cache(maxsize=1024)
def _hex(actor_id: Any) -> str:
    return str(actor_id.hex())


def _ids_of_creation(_: Any, handle: Any) -> Ids:
    ids = _ids_of_actor(handle)
    return {**ids, **{"ray.task_id": CREATION + each for each in ids.values()}}


def _ids_of_task(_: Any, returned: Any) -> Ids:
    """Java methods without a result give a reference as well; Python generators have one of their
    own."""
    first: Any = returned[0] if isinstance(returned, list) and returned else returned
    if not hasattr(first, "task_id"):
        first = getattr(first, "_generator_ref", None)
    return {} if first is None else {"ray.task_id": first.hex()[:_TASK_ID_DIGITS]}


def _ids_of_method(handle: Any, returned: Any) -> Ids:
    ids = _ids_of_task(handle, returned)
    ids.update(_ids_of_actor(handle))
    return ids
