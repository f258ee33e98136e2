"""What a call is named, and Ray's attributes of it: the same at both ends, in both languages."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from opentelemetry.util.types import AttributeValue

# Names the attribute by which readers join two ends between which no context could travel.
JOIN = "roll.join"

# What takes the place of a task's own part in the id of the task that creates an actor.
CREATION = "ffffffffffffffff"


@dataclass(frozen=True)
class RemoteCall:
    """A function or a method of an actor."""

    owner: str
    """Its class with package or module; of a function in Python the module."""

    method: str
    is_actor: bool

    @staticmethod
    def of_python(descriptor: Any) -> RemoteCall:
        """What Ray's descriptor names."""
        class_name = descriptor.class_name
        owner = descriptor.module_name + ("." + class_name if class_name else "")
        return RemoteCall(owner, descriptor.function_name, bool(class_name))

    @property
    def name(self) -> str:
        """As spans show it."""
        return self.owner.rsplit(".", 1)[-1].replace("$", ".") + "." + self.method

    def attributes(self, ray: Any) -> dict[str, AttributeValue]:
        """Those that both ends have, but for the ids of task and actor."""
        found: dict[str, AttributeValue] = {
            "ray.remote": "actor" if self.is_actor else "function",
            "ray.function": f"{self.owner}.{self.method}",
            "ray.pid": str(os.getpid()),
        }
        if self.is_actor:
            found["ray.actor_class"] = self.owner
            found["ray.actor_method"] = self.method
        with suppress(Exception):  # before ray.init there are none
            context = ray.get_runtime_context()
            found["ray.job_id"] = context.get_job_id()
            found["ray.node_id"] = context.get_node_id()
        return found
