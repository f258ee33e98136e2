"""The process's flight recorder: which spans are open, and which have ended and were not sent yet.

The file outlives a process that is killed, as Ray kills its workers. Its layout is the agent's, see
docs/file-format.md; the driver's collector and the report read both alike.
"""

from __future__ import annotations

import itertools
import os
import struct
import threading
import time
from array import array
from contextlib import suppress
from pathlib import Path
from typing import Any, Iterable, Mapping

from ._liveness import as_text, note_own, remove_oldest_dead
from ._log import warn

_MAGIC = 0x3143_4552_4C4C_4F52
_HEADER_BYTES = 8 << 10
_SLOT_BYTES = 64
_RESOURCE_AT = 320
_RESOURCE_MOST_BYTES = _HEADER_BYTES - _RESOURCE_AT - 16
_BEAT_AT = 128
_ENDED_AT = 192
_OPEN_OVERFLOW_AT = 256
_OVERWRITTEN_AT = 264
_NAMES_USED_AT = 272
_NAMES_OVERFLOW_AT = 280
_NAME_MOST_BYTES = 256

_LEAST_BYTES = 128 << 10
_DEFAULT_BYTES = 2 << 20
_UNITS = {"k": 10, "m": 20, "g": 30}

_MOST_FILES = 1_000
_BEAT_NANOS = 100_000_000

_64 = 0xFFFF_FFFF_FFFF_FFFF
_OPEN = 2
_EXPORTED = 1

_LONG = struct.Struct("<Q")
_TWO_LONGS = struct.Struct("<QQ")
_TWO_INTS = struct.Struct("<II")
_SLOT = struct.Struct("<8Q")
_FREE = _LONG.pack(0)

def recorder_bytes(given: str) -> int:
    """What ROLL_OTEL_RECORDER_BYTES says: `2m`, `512k`; 0 for no recorder."""
    text = given.strip().lower()
    if not text:
        return _DEFAULT_BYTES
    shift = _UNITS.get(text[-1], 0)
    number = text[:-1] if shift else text
    if not (number.isascii() and number.isdigit()):
        warn(f"ROLL_OTEL_RECORDER_BYTES={given} is not understood; write 2m or 512k, 0 for none")
        return _DEFAULT_BYTES
    size = int(number) << shift
    return min(max(size, _LEAST_BYTES), 1 << 30) if size else 0


class Recorder:
    """
    Nothing here raises. The file counts the spans that it has no room for. For any threads.

    It writes by `pwrite` and not into a mapping: to write into a mapped file that somebody has cut
    off, or whose disk fails, would end the process.
    """

    def __init__(self, folder: Path, name: str, size: int, resource: Mapping[str, Any]) -> None:
        open_slots = 1 << ((size // 4 // _SLOT_BYTES).bit_length() - 1)
        self._name_bytes = open_slots * _SLOT_BYTES * 4 // 32
        self._open_at = _HEADER_BYTES + self._name_bytes
        self._ring_at = self._open_at + open_slots * _SLOT_BYTES
        self._ring_slots = (size - self._ring_at) // _SLOT_BYTES
        # To take from either, and to give back to the list, no other thread can interrupt.
        self._free: list[int] = []
        self._unused = iter(range(self._open_at, self._ring_at, _SLOT_BYTES))
        self._open: dict[int, int] = {}
        self._numbers = itertools.count()
        # Ended spans that were not sent: where they lie, and the state of the slot there.
        self._unsent: dict[int, tuple[int, int]] = {}
        self._in_ring = array("Q", bytes(8 * self._ring_slots))
        self._names: dict[str, int] = {}
        self._next_name = 8
        self._names_lock = threading.Lock()
        self._counts = dict.fromkeys((_OPEN_OVERFLOW_AT, _OVERWRITTEN_AT, _NAMES_OVERFLOW_AT), 0)
        self._beat_nanos = 0
        self._pid = os.getpid()
        self.file, self._fd = _created(folder, name)
        note_own(self.file)
        try:
            _lock(self._fd)
            self._write_header(open_slots, resource)
        except Exception:
            os.close(self._fd)
            with suppress(OSError):
                self.file.unlink()
            raise

    def _write_header(self, open_slots: int, resource: Mapping[str, Any]) -> None:
        os.ftruncate(self._fd, self._ring_at + self._ring_slots * _SLOT_BYTES)
        now = time.time_ns()
        sizes = struct.pack("<QQQ", self._name_bytes, open_slots, self._ring_slots)
        os.pwrite(self._fd, sizes, 8)
        process = (self._pid, _started_millis(), now, time.monotonic_ns())
        os.pwrite(self._fd, struct.pack("<4Q", *process), 64)
        attributes = _written(resource)
        header = _TWO_INTS.pack(len(attributes), _checksum_of(attributes))
        os.pwrite(self._fd, header + attributes, _RESOURCE_AT)
        self._beat(now)
        os.pwrite(self._fd, _LONG.pack(_MAGIC), 0)  # from now on it can be read

    def started(
        self, trace_id: int, span_id: int, parent_id: int, start: int, name: str, kind: int
    ) -> None:
        """A span has started; kind and status as OTLP counts them."""
        if self._fd < 0:
            return
        try:
            at = self._take_slot()
            if not at:
                self._count(_OPEN_OVERFLOW_AT)
                return
            facts = self._number(name) << 32 | kind
            thread = threading.get_ident() & _64
            high = trace_id >> 64
            low = trace_id & _64
            total = _checksum(_OPEN, high, low, span_id, parent_id, start, thread, facts)
            state = total << 32 | _OPEN
            slot = _SLOT.pack(state, high, low, span_id, parent_id, start, thread, facts)
            os.pwrite(self._fd, slot, at)
            self._open[span_id] = at
            if abs(start - self._beat_nanos) > _BEAT_NANOS:
                self._beat(start)
        except Exception as e:  # noqa: BLE001 - tracing must never hurt its host
            self._failed(e)

    def ended(
        self,
        trace_id: int,
        span_id: int,
        parent_id: int,
        start: int,
        end: int,
        name: str,
        kind: int,
        status: int,
    ) -> None:
        """A span has ended, whether or not `started` was told of it."""
        if self._fd < 0:
            return
        try:
            number = next(self._numbers)
            place = number % self._ring_slots
            sequence = (number + 1) & 0x7FFF_FFFF
            facts = self._number(name) << 32 | status << 8 | kind
            high = trace_id >> 64
            low = trace_id & _64
            total = _checksum(sequence, high, low, span_id, parent_id, start, end, facts)
            state = total << 32 | sequence << 1
            if self._unsent.pop(self._in_ring[place], None) is not None:
                self._count(_OVERWRITTEN_AT)
            self._in_ring[place] = span_id
            at = self._ring_at + place * _SLOT_BYTES
            self._unsent[span_id] = (at, state)
            slot = _SLOT.pack(state, high, low, span_id, parent_id, start, end, facts)
            os.pwrite(self._fd, slot, at)
            # In the ring before it is out of the table: at no time in neither.
            opened = self._open.pop(span_id, 0)
            if opened:
                os.pwrite(self._fd, _FREE, opened)
                self._free.append(opened)
        except Exception as e:  # noqa: BLE001 - as above
            self._failed(e)

    def exported(self, span_ids: Iterable[int]) -> None:
        """These ended spans were sent, or are in the process's own file."""
        if self._fd < 0:
            return
        try:
            for span_id in span_ids:
                at, state = self._unsent.pop(span_id, (0, 0))
                if at:
                    os.pwrite(self._fd, _LONG.pack(state | _EXPORTED), at)
            now = time.time_ns()
            if abs(now - self._beat_nanos) > _BEAT_NANOS:
                self._beat(now)
        except Exception as e:  # noqa: BLE001 - as above
            self._failed(e)

    def beat(self) -> bool:
        """Says that the process lives, if it has said nothing for a while; False if it is over."""
        if self._fd < 0:
            return False
        try:
            now = time.time_ns()
            if abs(now - self._beat_nanos) > _BEAT_NANOS:
                self._beat(now)
        except Exception as e:  # noqa: BLE001 - as above
            self._failed(e)
        return True

    def _take_slot(self) -> int:
        """Of the table of open spans; 0 where none is free."""
        try:
            return self._free.pop()
        except IndexError:
            return next(self._unused, 0)

    def _number(self, name: str) -> int:
        """A name's place in the file, 0 where there is no room for it."""
        known = self._names.get(name)
        if known is not None:
            return known
        with self._names_lock:
            known = self._names.get(name)
            if known is not None:
                return known
            text = name.encode("utf-8", "replace")[:_NAME_MOST_BYTES]
            text = text.decode("utf-8", "ignore").encode()  # not cut within a character
            after = self._next_name + 8 + (len(text) + 7 & ~7)
            if after > self._name_bytes:
                self._count(_NAMES_OVERFLOW_AT)
                return 0
            number = self._next_name
            header = _TWO_INTS.pack(len(text), _checksum_of(text))
            os.pwrite(self._fd, header + text, _HEADER_BYTES + number)
            self._next_name = after
            os.pwrite(self._fd, _LONG.pack(after), _NAMES_USED_AT)
            self._names[name] = number
            return number

    def _beat(self, now: int) -> None:
        self._beat_nanos = now
        os.pwrite(self._fd, _TWO_LONGS.pack(now, time.monotonic_ns()), _BEAT_AT)

    def _count(self, at: int) -> None:
        self._counts[at] += 1
        os.pwrite(self._fd, _LONG.pack(self._counts[at]), at)

    def _failed(self, e: Exception) -> None:
        if self._fd >= 0:
            warn(f"open spans are not recorded any more: {e!r}")
            self.leave()

    def leave(self) -> None:
        """Writes no more; in a process that was forked off for one, since the file is its parent's.
        The file stays open: another thread may be about to write, and must not hit another file
        that the system has given the same number."""
        self._fd = -1

    def close(self) -> None:
        """Removes the file, unless spans are open or unsent, which it goes on telling of."""
        if self._fd < 0:
            return
        if not self._open and not self._unsent:
            with suppress(OSError):
                self.file.unlink()
                self.file.parent.rmdir()  # refused where others' files are in it
        self.leave()


def _created(folder: Path, name: str) -> tuple[Path, int]:
    """A new file of this name, or with a number behind it: others may be of the same name."""
    for attempt in range(1, _MOST_FILES):
        folder.mkdir(parents=True, exist_ok=True)
        if attempt == 1:
            with suppress(OSError):
                remove_oldest_dead(folder, _MOST_FILES - 1)
        file = folder / (name + (f"-{attempt}" if attempt > 1 else "") + ".rec")
        # Another process may remove the folder at any time, if it is empty.
        with suppress(FileExistsError, FileNotFoundError):
            return file, os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    raise OSError(f"{_MOST_FILES} files of this name in {folder}")


def _lock(fd: int) -> None:
    """By which readers know that this process lives."""
    with suppress(ImportError, OSError):  # not on Windows, nor on each file system
        import fcntl

        fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _started_millis() -> int:
    """When this process was started, 0 where the system does not tell."""
    with suppress(Exception):
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        since_boot = ticks / os.sysconf("SC_CLK_TCK")
        boot = next(
            int(line.split()[1])
            for line in Path("/proc/stat").read_text().splitlines()
            if line.startswith("btime ")
        )
        return int((boot + since_boot) * 1000)
    return 0


def _written(resource: Mapping[str, Any]) -> bytes:
    """Attributes as the header holds them; those that there is no room for are left out."""
    attributes = b""
    for key, value in resource.items():
        one = as_text(key)
        if isinstance(value, bool):
            one += b"b" + bytes([value])
        elif isinstance(value, int):
            one += b"l" + struct.pack(">q", value)
        elif isinstance(value, float):
            one += b"d" + struct.pack(">d", value)
        else:
            one += b"s" + as_text(str(value))
        if len(attributes) + len(one) <= _RESOURCE_MOST_BYTES:
            attributes += one
    return attributes


def _checksum(
    sequence: int,
    high: int,
    low: int,
    span_id: int,
    parent_id: int,
    start: int,
    thread_or_end: int,
    facts: int,
) -> int:
    """Of a slot."""
    total = (
        (sequence + 1) * 0x9E37_79B9_7F4A_7C15
        + high * 0xBF58_476D_1CE4_E5B9
        + low * 0x94D0_49BB_1331_11EB
        + span_id * 0xD6E8_FEB8_6659_FD93
        + parent_id * 0xA076_1D64_78BD_642F
        + start * 0xE703_7ED1_A0B4_28DB
        + thread_or_end * 0x8EBC_6AF0_9C88_C6E3
        + facts * 0x5899_65CC_7537_4CC3
    ) & _64
    return (total ^ total >> 32) & 0xFFFF_FFFF


def _checksum_of(text: bytes) -> int:
    """Of a text's bytes; never 0."""
    total = 0x811C_9DC5
    for byte in text:
        total = (total ^ byte) * 0x0100_0193 & 0xFFFF_FFFF
    return total or 1
