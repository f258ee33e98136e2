"""What a run's processes have left on other hosts comes to the driver when its job ends: the files
of workers that reached no collector, the recorder's files of killed ones, and the profiles of JVMs.

It is the Java agent's rule as well, see docs/ray.md: Ray carries them, as the results of tasks.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import re
import secrets
import struct
import time
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any, Callable, Iterator, List, NamedTuple, Sequence, Tuple

from ._liveness import is_dead
from ._place import Place
from ._log import warn

# Of more than that of one host, the largest files stay there.
MOST_BYTES = 64 << 20

# Of profiles so much is searched for those of the run.
MOST_SEARCHED_BYTES = 512 << 20

# In a larger cluster only hosts are asked that had an actor of the job.
MOST_ASKED = 16

_SECONDS = 5.0
_HEAD_BYTES = 16 << 10
_MOST_OF_A_NAME = 100

# Names come from another host: none leads out of the two folders, or to a hidden file.
_NAME = re.compile(
    r"(?=traces/.*\.jsonl$|open/.*\.dead$|profiles/.*\.jfr$)[a-z]+/(?!\.)[\w.~-]{1,230}"
)

# Of a profile: how many bytes are whole, by its header. A living JVM writes to its last one.
_PROFILE_SIZE_AT = 8
_PROFILE_HEADER_BYTES = 68

# Workers send, or write to their files, what has ended 50 ms ago.
_GRACE_SECONDS = 0.2

# Name, length and compressed bytes.
Packed = Tuple[str, int, bytes]


class Left(NamedTuple):
    """What has come from a host, and what stays there, being too large."""

    files: List[Packed]
    left_files: int
    left_bytes: int
    folder: str


def install(place: Place) -> None:
    """Asks before Ray ends the job: when the program says so, else at the driver's end."""
    if place.is_worker:
        return
    import ray
    from ray._private import worker

    original = worker.shutdown

    @functools.wraps(original)
    def shutdown(*args: Any, **kwargs: Any) -> Any:
        fetch(place)
        return original(*args, **kwargs)

    worker.shutdown = shutdown
    ray.shutdown = shutdown
    atexit.register(fetch, place)  # before Ray's own, which was there first


def fetch(place: Place) -> None:
    """Never raises, and waits for all hosts together no longer than the user lets it."""
    try:
        _fetch(place)
    except Exception as e:  # noqa: BLE001 - tracing must never hurt its host
        warn(f"files of the run may have stayed on other hosts: {e!r}")


def _fetch(place: Place) -> None:
    import ray

    patience = patience_seconds(os.environ.get("ROLL_OTEL_EXIT_TIMEOUT", ""))
    is_driver = ray.is_initialized() and (
        ray._private.worker.global_worker.mode == ray.SCRIPT_MODE
    )
    if not is_driver or not patience:
        return
    asked = others(ray.nodes(), ray.get_runtime_context().get_node_id())
    if len(asked) > MOST_ASKED:
        job = ray.get_runtime_context().get_job_id()
        actors = ray._private.state.actors(job_id=ray.JobID.from_hex(job)).values()
        nodes = {actor["Address"]["NodeID"] for actor in actors}
        asked = [node for node in asked if node["NodeID"] in nodes]
    if asked:
        _ask(ray, place, asked, time.monotonic() + patience)


def others(nodes: Sequence[Any], own: str) -> list[Any]:
    """A node of each host that lives, without the driver's."""
    by_address: dict[str, Any] = {}
    for node in nodes:
        if node["Alive"]:
            by_address.setdefault(node["NodeManagerAddress"], node)
    for node in nodes:
        if node["NodeID"] == own:
            by_address.pop(node["NodeManagerAddress"], None)
    return list(by_address.values())


def _ask(ray: Any, place: Place, nodes: Sequence[Any], until: float) -> None:
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    traces = place.output_dir / "traces"
    is_new = not traces.exists()
    traces.mkdir(parents=True, exist_ok=True)
    mark = traces / f".home-{secrets.token_hex(8)}"
    mark.touch(exist_ok=False)
    try:
        task = ray.remote(num_cpus=0, max_retries=0)(left)
        answers = {}
        for node in nodes:
            here = NodeAffinitySchedulingStrategy(node_id=node["NodeID"], soft=False)
            answer = task.options(scheduling_strategy=here).remote(place.run_id, mark.name)
            answers[answer] = node["NodeManagerHostname"]
        waiting = list(answers)
        while waiting:
            patience = max(0.0, until - time.monotonic())
            ready, waiting = ray.wait(waiting, timeout=patience)
            if not ready:
                hosts = ", ".join(answers[answer] for answer in waiting)
                where = f"{place.output_dir} on {hosts}"
                warn(f"no answer in time: files of the run may stay in {where}")
                return
            for answer in ready:
                _take(ray, answer, answers[answer], place.output_dir)
    finally:
        mark.unlink()
        if is_new:
            with suppress(OSError):  # not empty, if files have come
                traces.rmdir()
                place.output_dir.rmdir()


def _take(ray: Any, answer: Any, host: str, output_dir: Path) -> None:
    try:
        came: Left = ray.get(answer, timeout=1)
        unpack(came, output_dir)
    except Exception as e:  # noqa: BLE001 - and the others still come
        warn(f"files of the run remain on host {host}: {e!r}")
        return
    if came.left_files:
        files = "1 file" if came.left_files == 1 else f"{came.left_files} files"
        warn(
            f"files of the run remain on host {host} in {came.folder}, being too large to come by"
            f" Ray: {files} with {came.left_bytes >> 20} MiB"
        )


def patience_seconds(given: str) -> float:
    """What ROLL_OTEL_EXIT_TIMEOUT says, seconds or `500ms`; a host may have to start a process to
    answer, so it is more where nothing is given."""
    match = re.fullmatch(r"([0-9]*\.?[0-9]+)\s*(ms|s)?", given.strip().lower())
    return float(match[1]) / (1000 if match[2] == "ms" else 1) if match else _SECONDS


def left(run_id: str, mark: str) -> Left:
    """A task on another host: the run's files there."""
    time.sleep(_GRACE_SECONDS)
    return pack(Place(os.environ).output_dir, run_id, mark)


def pack(output_dir: Path, run_id: str, mark: str, most_bytes: int = MOST_BYTES) -> Left:
    """Nothing where the driver's mark is here: both see the same files then."""
    traces = output_dir / "traces"
    if (traces / mark).exists():
        return Left([], 0, 0, str(output_dir))
    dead = _plain(output_dir / "open", (".rec", ".dead"), lambda file: is_dead(file, run_id))
    found = [(f"open/{file.stem}.dead", file, stat.st_size) for file, stat in dead]
    own = _plain(traces, (".jsonl",), lambda file: _is_of(file, run_id))
    found += [(f"traces/{file.name}", file, stat.st_size) for file, stat in own]
    found.sort(key=lambda sized: sized[2])
    found += sorted(_profiles(output_dir / "profiles", run_id), key=lambda sized: sized[2])
    packed: list[Packed] = []
    left_files = left_bytes = 0
    for name, file, size in found:
        if size > most_bytes:
            left_files += 1
            left_bytes += size
        else:
            try:
                with file.open("rb") as opened:
                    content = opened.read(size)
            except OSError:
                continue  # as below
            most_bytes -= size
            packed.append((name, len(content), zlib.compress(content, 1)))
    return Left(packed, left_files, left_bytes, str(output_dir))


def _plain(
    folder: Path, suffixes: Tuple[str, ...], is_wanted: Callable[[Path], bool]
) -> list[tuple[Path, os.stat_result]]:
    """A folder's files. One may be another user's, or go at any time: a process that ends removes
    its recorder's file, and a living JVM the oldest parts of its profile."""
    found = []
    with suppress(OSError):  # there is none
        for name in os.listdir(folder):
            file = folder / name
            with suppress(OSError):
                if file.suffix in suffixes and _is_plain(file) and is_wanted(file):
                    found.append((file, file.stat()))
    return found


def _is_plain(file: Path) -> bool:
    return file.is_file() and not file.is_symlink()


def _is_of(lines: Path, run_id: str) -> bool:
    """The resource is at the beginning of a file's first line."""
    with lines.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    return b'"roll.run_id"' in head and json.dumps(run_id).encode() in head


def _profiles(folder: Path, run_id: str) -> Iterator[Tuple[str, Path, int]]:
    """Those of the run. A directory may hold those of many earlier runs: the newest are searched."""
    room = MOST_SEARCHED_BYTES
    plain = _plain(folder, (".jfr",), lambda file: True)
    for file, stat in sorted(plain, key=lambda dated: dated[1].st_mtime, reverse=True):
        room -= stat.st_size
        if room < 0:
            return
        size = _profile_size(file, run_id)
        if size > 0:
            yield f"profiles/{file.name}", file, size


def _profile_size(profile: Path, run_id: str) -> int:
    """How much of it is whole; 0 for one of another run. The JVM writes the run's id into each."""
    try:
        content = profile.read_bytes()
    except OSError:
        return 0
    if len(content) < _PROFILE_HEADER_BYTES or run_id.encode() not in content:
        return 0
    return int(struct.unpack_from(">Q", content, _PROFILE_SIZE_AT)[0])


def unpack(came: Left, output_dir: Path) -> int:
    """Writes them below the driver's directory; how many are new. What is there stays: if a file
    has the name and another content, the new one gets a number."""
    room = MOST_BYTES
    new = 0
    for name, length, compressed in came.files:
        room -= max(0, length)
        if not _NAME.fullmatch(name) or length < 0 or room < 0:
            raise ValueError(f"no file of a worker: {name}, {length} bytes")
        content = zlib.decompressobj().decompress(compressed, length or 1)
        if len(content) != length:
            raise ValueError(f"{name} is not of {length} bytes")
        file = _free(output_dir / name, content)
        if file is None:
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            with file.open("xb") as opened:
                opened.write(content)
        except FileExistsError:
            continue
        except OSError:
            with suppress(OSError):
                file.unlink()
            raise
        new += 1
    return new


def _free(named: Path, content: bytes) -> Path | None:
    """Where to write it; None where it is already."""
    for number in range(1, _MOST_OF_A_NAME):
        file = named if number == 1 else named.with_name(f"{named.stem}-{number}{named.suffix}")
        if not os.path.lexists(file):
            return file
        if _is_plain(file) and file.stat().st_size == len(content) and file.read_bytes() == content:
            return None
    return None
