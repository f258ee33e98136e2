"""What a call is named, and Ray's attributes of it: the same at both ends, in both languages."""

from __future__ import annotations

import os
import sys
import weakref
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Callable, Dict, Mapping, NamedTuple

from opentelemetry.trace import Span, Status, StatusCode
from opentelemetry.util.types import AttributeValue

from ._json import attributes_of

# Names the attribute by which readers join two ends between which no context could travel.
JOIN = "roll.join"

# What takes the place of a task's own part in the id of the task that creates an actor.
CREATION = "ffffffffffffffff"

# What stands in a qualified name between a function and what is defined inside.
_LOCALS = "<locals>."

_RAYS_TRACING = "ray.util.tracing.tracing_helper"

# By which Ray knows a call, as attributes.
Ids = Dict[str, str]


class Described(NamedTuple):
    """Attributes, and how they are written."""

    attributes: Mapping[str, AttributeValue]
    written: str


class _Driven(NamedTuple):
    """A driver is of one job as long as it is connected. To ask Ray for job and node costs more
    than all the rest of a call's span."""

    connection: Callable[[], Any]
    pid: int
    described: Described


@dataclass(frozen=True, eq=False)
class RemoteCall:
    """A function or a method of an actor; compared by identity, which is cheaper to look up."""

    owner: str
    """Its class with package or module; of a function in Python the module."""

    method: str
    is_actor: bool
    _driven: _Driven | None = field(default=None, init=False, repr=False)

    @staticmethod
    def of_python(descriptor: Any) -> RemoteCall:
        """What Ray's descriptor names."""
        class_name = descriptor.class_name
        owner = descriptor.module_name + ("." + class_name if class_name else "")
        return RemoteCall(owner, descriptor.function_name, bool(class_name))

    @cached_property
    def name(self) -> str:
        """As spans show it; the function in which a class or a function was defined is no part."""
        owner = self.owner.rsplit(".", 1)[-1].replace("$", ".")
        return owner + "." + self.method.rsplit(_LOCALS, 1)[-1]

    def described(self, ray: Any) -> Described:
        """By those attributes that both ends have, but for the ids of task and actor."""
        try:
            worker = ray._private.worker.global_worker
            connection, pid = worker.node, os.getpid()
            known = self._driven
            if connection is not None and known is not None:
                if known.connection() is connection and known.pid == pid:
                    return known.described
            session = getattr(connection, "session_name", None)
            described = _described(self, pid, worker.current_job_id, session, worker)
            if connection is not None and worker.mode == ray.SCRIPT_MODE:
                driven = _Driven(weakref.ref(connection), pid, described)
                object.__setattr__(self, "_driven", driven)
            return described
        except Exception:  # noqa: BLE001 - before ray.init there are none
            return _described(self, os.getpid(), None, None, None)


def annotate(span: Span, attributes: Mapping[str, AttributeValue]) -> None:
    """The SDK examines each value, which costs more than all the rest of a span: of texts and
    numbers that are known to be good it need not, unless it is to shorten or drop them."""
    bounded: Any = getattr(span, "_attributes", None)
    plain = getattr(bounded, "_dict", None)
    if type(plain) is dict and bounded.max_value_len is None and (bounded.maxlen or 99) > 32:
        plain.update(attributes)
    else:
        span.set_attributes(attributes)


def fail(span: Span, failure: BaseException) -> None:
    """An exception without readable text is described by its class alone."""
    description = type(failure).__name__
    with suppress(Exception):  # of the exception's own __str__
        description += f": {failure}"
        span.record_exception(failure)
    span.set_status(Status(StatusCode.ERROR, description))


@lru_cache(maxsize=1024)
def _described(call: RemoteCall, pid: int, job: Any, session: Any, worker: Any) -> Described:
    found: dict[str, AttributeValue] = {
        "ray.remote": "actor" if call.is_actor else "function",
        "ray.function": f"{call.owner}.{call.method}",
        "ray.pid": str(pid),
    }
    if call.is_actor:
        found["ray.actor_class"] = call.owner
        found["ray.actor_method"] = call.method
    if job is not None:
        found["ray.job_id"] = job.hex()
        found["ray.node_id"] = worker.current_node_id.hex()
    return Described(found, attributes_of(found))


def is_rays_own(owner: str, method: str) -> bool:
    """Whether Ray's libraries call themselves: Serve's controller and proxies for one, many times a
    second, and from tasks that run as long as their actor. What its replicas are asked for by users
    is not. Nor are this package's own tasks."""
    if owner.startswith("roll_otel_ray."):
        return True
    if not owner.startswith("ray."):
        return False
    return not (".ServeReplica:" in owner and method.startswith("handle_request"))


def ray_traces_itself() -> bool:
    """Whether Ray's own tracing is on, which makes the spans of calls from Python to Python."""
    helper = sys.modules.get(_RAYS_TRACING)
    return helper is not None and bool(helper._is_tracing_enabled())


def take_over_from_ray(hook: str) -> None:
    """Turns Ray's own tracing off where it was turned on for this hook alone: it would break
    generators' methods and the creation of Java actors, and name the same calls otherwise."""
    if not ray_traces_itself():
        return
    from ray._private import ray_constants, worker

    named = worker.global_worker.gcs_client.internal_kv_get(
        b"tracing_startup_hook", ray_constants.KV_NAMESPACE_TRACING
    )
    if named == hook.encode():
        helper: Any = sys.modules[_RAYS_TRACING]
        helper._global_is_tracing_enabled = False
