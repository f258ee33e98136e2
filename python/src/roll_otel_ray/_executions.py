"""Calls from Java that Python executes."""

from __future__ import annotations

import functools
import inspect
import threading
import time
from contextlib import ExitStack, suppress
from typing import Any, Callable

from opentelemetry import context as context_api
from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, Tracer

from ._calls import JOIN, RemoteCall
from ._carried import Carried, suppressed
from ._said import surprised


class Executions:
    """Makes a span around each task that came from Java. One object for a process."""

    def __init__(self, tracer: Tracer, flush: Callable[[], None]) -> None:
        self._tracer = tracer
        self._flush = flush
        self._has_flushed = False
        self._actor_is_javas = False
        # Arguments are unpacked on the thread that then executes.
        self._arrived = threading.local()

    def install(self) -> None:
        """Wraps what finds the function of a task, and what unpacks its arguments."""
        from ray._private.function_manager import FunctionActorManager
        from ray._private.serialization import SerializationContext

        find = FunctionActorManager.get_execution_info
        unpack = SerializationContext.deserialize_objects

        # Ray's versions pass different arguments, so all of them are passed on unchanged.
        @functools.wraps(find)
        def get_execution_info(*args: Any, **kwargs: Any) -> Any:
            info = find(*args, **kwargs)
            try:
                descriptor = kwargs["function_descriptor"] if kwargs else args[2]
                # Ray keeps what it is given here, and asks once for each function.
                return info._replace(function=self.around(info.function, descriptor))
            except Exception as e:  # noqa: BLE001 - tracing must never hurt its host
                surprised("get_execution_info", e)
                return info

        @functools.wraps(unpack)
        def deserialize_objects(*args: Any, **kwargs: Any) -> Any:
            try:
                objects = args[1] if len(args) > 1 else next(iter(kwargs.values()))
                # Each is a tuple of its data, its metadata and, in newer versions, more.
                self.arrived([each[1] for each in objects])
            except Exception as e:  # noqa: BLE001 - as above
                surprised("deserialize_objects", e)
            return unpack(*args, **kwargs)

        FunctionActorManager.get_execution_info = get_execution_info
        SerializationContext.deserialize_objects = deserialize_objects

    def arrived(self, metadata: list[Any]) -> None:
        """Arguments of a task, or what somebody fetches, which carries nothing."""
        for each in metadata:
            carried = Carried.of(each)
            if carried is not None:
                self._arrived.carried = carried
                return

    def around(self, function: Callable[..., Any], descriptor: Any) -> Callable[..., Any]:
        """A function with a span around each call of it that came from Java."""
        method = getattr(function, "method", function)
        if (
            descriptor.function_name.startswith("__ray")
            or inspect.iscoroutinefunction(method)
            or inspect.isasyncgenfunction(method)
            or inspect.isgeneratorfunction(method)
        ):
            return function
        # Java knows no hash of a function's code; methods of actors have none in Python either.
        is_javas = not descriptor.function_hash
        if descriptor.class_name and descriptor.function_name == "__init__":
            self._actor_is_javas = is_javas
        call = RemoteCall.of_python(descriptor)

        @functools.wraps(function)
        def execute(*args: Any, **kwargs: Any) -> Any:
            carried: Carried | None = getattr(self._arrived, "carried", None)
            self._arrived.carried = None
            from_java = self._actor_is_javas if call.is_actor else is_javas
            if carried is None and not from_java:
                return function(*args, **kwargs)
            return self._execute(call, carried, functools.partial(function, *args, **kwargs))

        return execute

    def _execute(self, call: RemoteCall, carried: Carried | None, body: Callable[[], Any]) -> Any:
        if carried is not None and carried.is_suppressed:
            token = context_api.attach(suppressed())
            try:
                return body()
            finally:
                context_api.detach(token)
        with ExitStack() as stack:
            try:
                self._begin(call, carried, stack)
            except Exception as e:  # noqa: BLE001 - tracing must never hurt its host
                surprised("an execution", e)
            try:
                return body()
            except Exception:
                raise
            except BaseException:
                self._has_flushed = False  # the process is about to end
                raise

    def _begin(self, call: RemoteCall, carried: Carried | None, stack: ExitStack) -> None:
        stack.callback(self._flush_once)  # called last, when the span has ended
        span = stack.enter_context(
            self._tracer.start_as_current_span(
                f"{call.name} ray.remote_worker",
                context=Context() if carried is None else carried.context,
                kind=SpanKind.CONSUMER,
            )
        )
        if span.is_recording():
            span.set_attributes(_attributes(call, carried))

    def _flush_once(self) -> None:
        """Workers may be ended at any time; later calls have the exporter's short delay."""
        if not self._has_flushed:
            self._has_flushed = True
            self._flush()


def _attributes(call: RemoteCall, carried: Carried | None) -> dict[str, Any]:
    import ray

    attributes: dict[str, Any] = call.attributes(ray)
    with suppress(Exception):  # another version of Ray may know them by other names
        context = ray.get_runtime_context()
        attributes["ray.task_id"] = context.get_task_id()
        attributes["ray.worker_id"] = context.get_worker_id()
        if call.is_actor:
            attributes["ray.actor_id"] = context.get_actor_id()
    if carried is None:
        attributes[JOIN] = "ray.task_id"
    elif carried.sent_at_nanos:
        attributes["roll.queue_ns"] = time.time_ns() - carried.sent_at_nanos
    return {key: value for key, value in attributes.items() if value is not None}
