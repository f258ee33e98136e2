"""Which processes have died that left a recorder file."""

from __future__ import annotations

import os
import socket
import struct
import time
from contextlib import suppress
from pathlib import Path

_MAGIC = b"ROLLREC1"
_HEADER_BYTES = 8 << 10
_SILENT_NANOS = 30_000_000_000

_own: set[Path] = set()


def note_own(file: Path) -> None:
    """This process records there: it would lose its lock by opening and closing the file."""
    _own.add(file)


def as_text(text: str) -> bytes:
    """As a header holds it."""
    encoded = text.encode("utf-8", "replace")
    return struct.pack(">i", len(encoded)) + encoded


def is_dead(recording: Path, run_id: str | None = None) -> bool:
    """Whether it is of a process that has died, of a run if one is given."""
    if recording in _own:
        return False
    with recording.open("rb") as file:
        header = file.read(_HEADER_BYTES)
        if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
            return False
        length = struct.unpack_from("<I", header, 320)[0]
        resource = header[328 : 328 + length]
        if run_id is not None and as_text("roll.run_id") + b"s" + as_text(run_id) not in resource:
            return False
        if recording.suffix == ".dead":
            return True
        if _is_locked(file.fileno()):
            return False
    pid, beat = struct.unpack_from("<Q", header, 64)[0], struct.unpack_from("<Q", header, 128)[0]
    if abs(time.time_ns() - beat) > _SILENT_NANOS:
        return True
    is_here = as_text("host.name") + b"s" + as_text(socket.gethostname()) in resource
    return is_here and _is_gone(pid)


def _is_gone(pid: int) -> bool:
    if os.name != "posix":
        return False  # Windows would end the process: only its silence shows that it has died
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:
        return False  # it is another user's
    return False


def _is_locked(fd: int) -> bool:
    try:
        import fcntl

        fcntl.lockf(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except (BlockingIOError, PermissionError):
        return True
    except (ImportError, OSError):
        return False


def remove_oldest_dead(folder: Path, most: int) -> None:
    """The files of killed processes in a folder in which no driver collects, until so many are
    left. Those of living ones stay, however many."""
    names = os.listdir(folder)
    too_many = len(names) - most
    if too_many <= 0:
        return
    dated = []
    for name in names:
        file = folder / name
        with suppress(OSError):  # somebody else removes them, too
            if file.suffix in (".rec", ".dead"):
                dated.append((file.stat().st_mtime, file))
    for _, file in sorted(dated):
        if too_many <= 0:
            return
        with suppress(OSError):
            if is_dead(file):
                file.unlink()
                too_many -= 1
