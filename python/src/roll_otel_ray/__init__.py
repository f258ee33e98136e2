"""Ray's calls in Python, from and to Java, as spans of one trace.

Ray's own tracing leaves calls between languages out, and breaks some in Python. This is Python's
end of what the Java agent does at the other: call `setup()` in a Python driver, and name it as the
workers' setup hook.
"""

from ._setup import setup, worker_environment

__all__ = ["setup", "worker_environment"]
