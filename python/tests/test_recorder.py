"""The flight recorder's file: what is in it, and what becomes of it."""

import os
import struct
import subprocess
import sys
import threading
from datetime import datetime
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from roll_otel_ray._batches import Batches, LazyRecorder
from roll_otel_ray._ids import TraceIds, derived_trace_id
from roll_otel_ray._place import Place
from roll_otel_ray._recorder import Recorder, recorder_bytes

SIZE = 128 << 10
SOURCES = Path(__file__).parent.parent / "src"


def made(tmp_path, name="w", **resource):
    return Recorder(tmp_path / "open", name, SIZE, resource)


class Read:
    """An independent reading of the format."""

    def __init__(self, file):
        self.bytes = file.read_bytes()
        assert self.bytes[:8] == b"ROLLREC1"
        self.name_bytes, self.open_slots, self.ring_slots = self.longs(8, 3)
        self.pid, self.start_millis, self.epoch, self.mono = self.longs(64, 4)
        self.names_at = 8 << 10
        self.open_at = self.names_at + self.name_bytes
        self.ring_at = self.open_at + 64 * self.open_slots
        assert len(self.bytes) == self.ring_at + 64 * self.ring_slots
        self.overflow, self.overwritten = self.longs(256, 2)
        open_slots = [self.longs(self.open_at + 64 * i, 8) for i in range(self.open_slots)]
        self.open = [self.name(slot[7]) for slot in open_slots if slot[0] & 0xFFFFFFFF == 2]
        ring = [self.longs(self.ring_at + 64 * i, 8) for i in range(self.ring_slots)]
        self.ended = [slot for slot in ring if slot[0] and not slot[0] & 1]
        self.exported = [slot for slot in ring if slot[0] & 1]

    def longs(self, at, count):
        return struct.unpack_from(f"<{count}Q", self.bytes, at)

    def name(self, facts):
        at = self.names_at + (facts >> 32)
        if at == self.names_at:
            return ""
        (size,) = struct.unpack_from("<I", self.bytes, at)
        return self.bytes[at + 8 : at + 8 + size].decode()


def test_spans_are_open_then_ended_then_exported(tmp_path):
    recorder = made(tmp_path, host="h")
    recorder.started(1 << 100 | 5, 7, 0, 1000, "Counter.add ray.remote_worker", 5)
    recorder.started(1 << 100 | 5, 8, 7, 1001, "inner", 1)
    assert sorted(Read(recorder.file).open) == ["Counter.add ray.remote_worker", "inner"]

    recorder.ended(1 << 100 | 5, 8, 7, 1001, 1002, "inner", 1, 2)
    read = Read(recorder.file)
    assert read.open == ["Counter.add ray.remote_worker"]
    ((_, high, low, span_id, parent_id, start, end, facts),) = read.ended
    assert (high, low, span_id, parent_id, start, end) == (1 << 36, 5, 8, 7, 1001, 1002)
    assert (read.name(facts), facts & 0xFF, facts >> 8 & 0xFF) == ("inner", 1, 2)
    assert (read.pid, read.overflow, read.overwritten) == (os.getpid(), 0, 0)

    recorder.exported([8, 99])
    read = Read(recorder.file)
    assert (len(read.ended), len(read.exported)) == (0, 1)


def test_what_finds_no_room_is_counted(tmp_path):
    recorder = made(tmp_path)
    read = Read(recorder.file)
    for i in range(read.open_slots + 3):
        recorder.started(1, i + 1, 0, 1, "s", 1)
    for i in range(read.ring_slots + 5):
        recorder.ended(1, 1_000_000 + i, 0, 1, 2, "name " + "x" * i, 1, 0)
    read = Read(recorder.file)
    assert (read.overflow, read.overwritten) == (3, 5)
    assert len(read.open) == read.open_slots
    assert len(read.ended) == read.ring_slots
    assert "" in [read.name(slot[7]) for slot in read.ended]


def test_many_threads_leave_nothing_open(tmp_path):
    recorder = made(tmp_path)

    def work(number):
        # Two at once, so that threads take slots that others have given back, and new ones.
        for i in range(0, 200, 2):
            for both in (recorder.started, recorder.ended):
                for j in (i, i + 1):
                    times = (1,) if both == recorder.started else (1, 2)
                    rest = (f"t{number}", 1) if both == recorder.started else (f"t{number}", 1, 0)
                    both(1, number << 32 | j, 0, *times, *rest)

    threads = [threading.Thread(target=work, args=(n + 1,)) for n in range(5)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    read = Read(recorder.file)
    assert (read.open, len(read.ended)) == ([], 1000)
    assert len({slot[3] for slot in read.ended}) == 1000


@pytest.mark.parametrize("left", ["nothing", "an open span", "an unsent span"])
def test_file_stays_where_it_has_something_to_tell(tmp_path, left):
    recorder = made(tmp_path)
    recorder.started(1, 2, 0, 1, "s", 1)
    if left != "an open span":
        recorder.ended(1, 2, 0, 1, 2, "s", 1, 0)
    if left == "nothing":
        recorder.exported([2])
    recorder.close()
    assert recorder.file.exists() == (left != "nothing")
    assert recorder.file.parent.exists() == (left != "nothing")
    recorder.started(1, 3, 0, 1, "after", 1)
    recorder.ended(1, 3, 0, 1, 2, "after", 1, 0)


def test_others_of_the_same_name_have_files_of_their_own(tmp_path):
    assert [made(tmp_path).file.name for _ in range(3)] == ["w.rec", "w-2.rec", "w-3.rec"]


def test_file_that_is_cut_off_or_deleted_is_not_made_again(tmp_path, capsys):
    recorder = made(tmp_path)
    os.truncate(recorder.file, 100)
    recorder.started(1, 2, 0, 1, "s", 1)
    assert recorder.file.stat().st_size > 100, "it goes on"
    recorder.file.unlink()
    recorder.ended(1, 2, 0, 1, 2, "s", 1, 0)
    recorder.close()
    assert not recorder.file.exists()
    assert capsys.readouterr().err == ""


def test_disk_that_fails_is_one_line(tmp_path, capsys, monkeypatch):
    recorder = made(tmp_path)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    for span_id in (2, 3):
        recorder.started(1, span_id, 0, 1, "s", 1)
        recorder.ended(1, span_id, 0, 1, 2, "s", 1, 0)
    assert capsys.readouterr().err.count("not recorded any more") == 1


def test_folder_with_too_many_files_loses_the_oldest_of_the_dead(tmp_path, monkeypatch):
    monkeypatch.setattr("roll_otel_ray._recorder._MOST_FILES", 3)
    living = made(tmp_path, "living").file
    old, new = (killed(tmp_path, name) for name in ("old", "new"))
    os.utime(living, (1, 1))
    os.utime(old, (2, 2))
    assert made(tmp_path, "d").file.name == "d.rec"
    assert [file.exists() for file in (living, old, new)] == [True, False, True]


def test_folder_with_too_many_living_ones_gets_a_further_file(tmp_path, monkeypatch):
    monkeypatch.setattr("roll_otel_ray._recorder._MOST_FILES", 3)
    for name in ("a", "b", "c", "d"):
        made(tmp_path, name)
    assert len(list((tmp_path / "open").iterdir())) == 4


def killed(tmp_path, name):
    """The file of a process that is no more."""
    script = (
        "import os, pathlib, socket; from roll_otel_ray._recorder import Recorder;"
        f"Recorder(pathlib.Path({str(tmp_path / 'open')!r}), {name!r}, {SIZE},"
        " {'host.name': socket.gethostname()}); os._exit(0)"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True, timeout=60)
    return tmp_path / "open" / f"{name}.rec"


def test_sign_of_life_comes_without_spans(tmp_path):
    recorder = made(tmp_path)
    recorder.started(1, 2, 0, 1000, "long", 1)
    os.pwrite(recorder._fd, struct.pack("<Q", 5), 128)
    recorder._beat_nanos = 5
    assert recorder.beat()
    assert Read(recorder.file).longs(128, 1)[0] > 1_000_000
    recorder.leave()
    assert not recorder.beat()


@pytest.mark.parametrize(
    ("given", "size"),
    [("", 2 << 20), ("0", 0), ("512k", 512 << 10), ("1M", 1 << 20), ("1", 128 << 10), ("9g", 1 << 30)],
)
def test_size_is_read_as_the_agent_reads_it(given, size):
    assert recorder_bytes(given) == size


def test_size_that_is_not_understood_is_the_default_and_a_line(capsys):
    assert recorder_bytes("many") == 2 << 20
    assert "write 2m" in capsys.readouterr().err


class Kept(SpanExporter):
    def __init__(self):
        self.result = SpanExportResult.SUCCESS

    def export(self, spans):
        return self.result

    def shutdown(self):
        pass


def traced(tmp_path, exporter):
    lazy = LazyRecorder(Place({"ROLL_OTEL_OUTPUT_DIR": str(tmp_path)}), {"host.name": "h"}, SIZE)
    provider = TracerProvider()
    provider.add_span_processor(Batches(exporter, lazy, 600_000))
    return provider, lazy


def test_file_comes_with_the_first_span_and_goes_with_the_last(tmp_path):
    provider, lazy = traced(tmp_path, Kept())
    assert not (tmp_path / "open").exists()
    with provider.get_tracer("t").start_as_current_span("outer"):
        provider.get_tracer("t").start_span("inner").end()
        read = Read(lazy.get().file)
        assert (read.open, len(read.ended)) == (["outer"], 1)
        provider.force_flush()
        assert Read(lazy.get().file).ended == []
    provider.shutdown()
    assert not (tmp_path / "open").exists()


def test_what_could_not_be_sent_stays_in_the_file(tmp_path):
    exporter = Kept()
    exporter.result = SpanExportResult.FAILURE
    provider, lazy = traced(tmp_path, exporter)
    provider.get_tracer("t").start_span("lost").end()
    provider.shutdown()
    (file,) = (tmp_path / "open").iterdir()
    assert len(Read(file).ended) == 1


def test_span_of_any_name_and_time_is_recorded(tmp_path, capsys):
    provider, lazy = traced(tmp_path, Kept())
    tracer = provider.get_tracer("t")
    open_spans = [tracer.start_span(5), tracer.start_span("s", start_time=-1)]
    open_spans.append(tracer.start_span("f", start_time=1.5e18))
    assert sorted(Read(lazy.get().file).open) == ["5", "f", "s"]
    for span in open_spans:
        span.end()
    class Nameless:
        def __str__(self):
            raise ValueError("no text")

    tracer.start_span(Nameless()).end()
    for no_time in (float("nan"), float("inf"), "2024-01-01", datetime.now()):
        tracer.start_span("n", start_time=no_time).end(end_time=no_time)
    assert len(Read(lazy.get().file).ended) == 3 + 1 + 4
    assert capsys.readouterr().err == ""


def test_burst_while_a_request_waits_for_its_answer_is_kept(tmp_path):
    answered = threading.Event()
    sent = []

    class Slow(SpanExporter):
        def export(self, spans):
            answered.wait(60)
            sent.extend(span.name for span in spans)
            return SpanExportResult.SUCCESS

        def shutdown(self):
            pass

    provider, _ = traced(tmp_path, Slow())
    tracer = provider.get_tracer("t")
    for number in range(10_000):
        tracer.start_span(str(number)).end()
    answered.set()
    provider.shutdown()
    assert sorted(map(int, sent)) == list(range(10_000))


def test_folder_that_cannot_be_made_is_one_line(tmp_path, capsys):
    (tmp_path / "open").write_text("")
    provider, lazy = traced(tmp_path, Kept())
    for _ in range(2):
        provider.get_tracer("t").start_span("s").end()
    assert lazy.get() is None
    assert capsys.readouterr().err.count("open spans are not recorded") == 1


def test_killed_process_leaves_its_file_and_a_forked_one_does_not_write_to_it(tmp_path):
    script = """
import os, signal
from roll_otel_ray._batches import LazyRecorder
from roll_otel_ray._place import Place
lazy = LazyRecorder(Place(os.environ), {}, 128 << 10)
lazy.get().started(1, 2, 0, 1, "parent's", 1)
if os.fork() == 0:
    lazy.get().started(1, 3, 0, 1, "child's", 1)
    os._exit(0)
os.wait()
os.kill(os.getpid(), signal.SIGKILL)
"""
    environment = {**os.environ, "PYTHONPATH": str(SOURCES), "ROLL_OTEL_OUTPUT_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, check=False)
    assert done.returncode == -9
    (file,) = (tmp_path / "open").iterdir()
    assert Read(file).open == ["parent's"]


@pytest.mark.parametrize(
    ("run_id", "value", "expected"),
    [
        ("", "", "3053dfd431e91f2e7f6425e16e262be2"),
        ("run-1", "c8ef45ccd0112571ffffffffffffffffffffffff01000000", "d672135d0dd0ba8392cb4c17d561238e"),
        ("l\u00e4uft \U0001f600", "x", "a5b814c72cc5824dd916db89dbaed1b3"),
    ],
)
def test_trace_of_a_task_has_the_id_that_the_agent_derives(run_id, value, expected):
    assert f"{derived_trace_id(run_id, value):032x}" == expected


def test_ids_are_random_outside_of_a_task():
    ids = TraceIds("r")
    with ids.of_task("t1"):
        assert ids.generate_trace_id() == derived_trace_id("r", "t1")
    assert ids.generate_trace_id() != ids.generate_trace_id()


def test_ids_of_a_forked_process_are_not_its_parents():
    script = """
import os, sys
from roll_otel_ray._ids import TraceIds
ids = TraceIds("r")
if os.fork():
    os.wait()
print(f"{ids.generate_trace_id():032x}{ids.generate_span_id():016x}", flush=True)
"""
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, check=True, capture_output=True, text=True
    )
    assert len(set(done.stdout.split())) == 2
