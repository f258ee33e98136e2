"""What comes from other hosts when a job ends; two directories stand for two hosts."""

import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from roll_otel_ray import _host_files, _liveness
from roll_otel_ray._host_files import Left, others, pack, patience_seconds, unpack
from roll_otel_ray._recorder import Recorder

SOURCES = Path(__file__).parent.parent / "src"
LINE = (
    '{"resourceSpans":[{"resource":{"attributes":[{"key":"roll.run_id","value":'
    '{"stringValue":"RUN"}}]},"scopeSpans":[]}]}\n'
)
DIES = """
import os, sys, time
from pathlib import Path
from roll_otel_ray._recorder import Recorder
r = Recorder(Path(sys.argv[1], "open"), "w", 128 << 10, {"roll.run_id": "r", "host.name": sys.argv[2]})
r.started(5, 7, 0, time.time_ns(), "busy", 1)
os._exit(1)
"""


def made(folder, name, run_id="r", times=1):
    file = folder / "traces" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(LINE.replace("RUN", run_id) * times)
    return file


def names(folder):
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


def dies(folder, host=os.uname().nodename):
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    subprocess.run([sys.executable, "-B", "-c", DIES, folder, host], env=environment, check=False)


@pytest.fixture
def there(tmp_path):
    return tmp_path / "there"


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def test_own_files_of_the_run_come(there, home):
    made(there, "second-1.jsonl")
    made(there, "second-2.jsonl", "another")
    made(there, "notes.txt")
    secret = made(there, "../secret")
    (there / "traces/link.jsonl").symlink_to(secret)
    assert unpack(pack(there, "r", "mark"), home) == 1
    assert names(home) == ["traces/second-1.jsonl"]
    assert unpack(pack(there, "r", "mark"), home) == 0, "it has come before"


def test_profiles_of_the_run_come_as_far_as_their_headers_say(there, home):
    folder = there / "profiles"
    folder.mkdir(parents=True)
    whole = b"FLR\0\2\0\1\0" + struct.pack(">Q", 100) + bytes(54) + b"run-17"
    whole += bytes(100 - len(whole))
    (folder / "second-1.1.jfr").write_bytes(whole + b"not yet whole")
    (folder / "second-1.2.jfr").write_bytes(whole.replace(b"run-17", b"run-18"))
    (folder / "second-2.1.jfr").write_bytes(b"run-17")
    assert unpack(pack(there, "run-17", "mark"), home) == 1
    assert (home / "profiles/second-1.1.jfr").read_bytes() == whole


def test_nothing_is_there(there, home):
    assert unpack(pack(there, "r", "mark"), home) == 0
    assert not home.exists()


def test_a_directory_that_both_see_is_left_alone(there):
    made(there, "second-1.jsonl")
    (there / "traces/mark").touch()
    assert pack(there, "r", "mark").files == []


def test_a_dead_process_is_known_for_dead_and_a_living_one_is_not_taken(there, home):
    dies(there)
    living = Recorder(there / "open", "living", 128 << 10, {"roll.run_id": "r"})
    try:
        assert unpack(pack(there, "another", "mark"), home) == 0
        assert unpack(pack(there, "r", "mark"), home) == 1
        assert names(home) == ["open/w.dead"]
        assert b"busy" in (home / "open/w.dead").read_bytes()
    finally:
        living.close()


def test_a_living_process_is_known_for_living_without_locks_and_proc(there, monkeypatch):
    """As on a file system without locks under macOS."""
    resource = {"roll.run_id": "r", "host.name": os.uname().nodename}
    living = Recorder(there / "open", "living", 128 << 10, resource)
    try:
        monkeypatch.setattr(_liveness, "_own", set())
        monkeypatch.setattr(_liveness, "_is_locked", lambda fd: False)
        monkeypatch.setattr(_liveness, "Path", lambda path: there / "nowhere")
        assert not _liveness.is_dead(living.file, "r")
    finally:
        living.close()


@pytest.mark.parametrize(
    "pid, gone", [(os.getpid(), False), (1, False), (0x3FFF_FFFF, True), (1 << 63, True)]
)
def test_a_process_is_gone_if_there_is_none_of_its_id(pid, gone):
    assert _liveness._is_gone(pid) is gone


def test_a_file_that_goes_meanwhile_keeps_no_other(there, home, monkeypatch):
    """Processes remove their files when they end, which is when a job's driver asks."""
    dies(there)
    made(there, "second-1.jsonl")
    gone = there / "open/gone.rec"
    gone.touch()

    def is_dead(file, run_id):
        gone.unlink(missing_ok=True)
        return _liveness.is_dead(file, run_id)

    monkeypatch.setattr(_host_files, "is_dead", is_dead)
    monkeypatch.setattr(_host_files, "_is_plain", lambda file: True)
    assert unpack(pack(there, "r", "mark"), home) == 2
    assert names(home) == ["open/w.dead", "traces/second-1.jsonl"]


def test_of_another_host_only_who_is_silent_is_dead(there):
    dies(there, "elsewhere")
    assert pack(there, "r", "mark").files == []
    with next((there / "open").iterdir()).open("r+b") as file:
        file.seek(128)
        file.write(bytes(8))
    assert len(pack(there, "r", "mark").files) == 1


def test_the_largest_files_stay(there):
    made(there, "second-1.jsonl")
    size = made(there, "second-2.jsonl", times=9).stat().st_size
    left = pack(there, "r", "mark", size - 1)
    assert [file[0] for file in left.files] == ["traces/second-1.jsonl"]
    assert (left.left_files, left.left_bytes, left.folder) == (1, size, str(there))


@pytest.mark.parametrize(("count", "said"), [(1, "1 file with 3 MiB"), (2, "2 files with 3 MiB")])
def test_files_that_stay_are_said(home, capsys, count, said):
    class Ray:
        @staticmethod
        def get(answer, timeout):
            return answer

    _host_files._take(Ray, Left([], count, 3 << 20, "/there"), "second", home)
    assert capsys.readouterr().err == (
        "[roll-otel] files of the run remain on host second in /there, being too large to come by"
        f" Ray: {said}\n"
    )


def test_a_file_of_the_same_name_stays(there, home):
    made(there, "second-1.jsonl")
    mine = made(home, "second-1.jsonl")
    same_length = mine.read_text().replace("roll", "ROLL")
    mine.write_text(same_length)
    assert unpack(pack(there, "r", "mark"), home) == 1
    assert names(home) == ["traces/second-1-2.jsonl", "traces/second-1.jsonl"]
    assert mine.read_text() == same_length
    assert unpack(pack(there, "r", "mark"), home) == 0, "it has come before"


@pytest.mark.parametrize(
    "name",
    [
        "traces/../../x.jsonl",
        "traces/sub/x.jsonl",
        "/traces/x.jsonl",
        "traces/.driver.jsonl",
        "traces/x",
        "traces/x\n.jsonl",
        "traces/x.jsonl\n",
        "metrics/x.jsonl",
        "open/x.rec",
        "open/x.jsonl",
    ],
)
def test_a_name_that_is_no_workers_file_is_refused(name, home):
    with pytest.raises(ValueError):
        unpack(Left([(name, 1, zlib.compress(b"x"))], 0, 0, "there"), home)
    assert not home.exists()


@pytest.mark.parametrize("length", [-1, 0, 2, (64 << 20) + 1, 1 << 62])
def test_a_length_that_is_not_the_files_is_refused(length, home):
    with pytest.raises(ValueError):
        unpack(Left([("traces/x.jsonl", length, zlib.compress(b"x"))], 0, 0, "there"), home)
    assert not home.exists()


@pytest.mark.parametrize(
    ("given", "seconds"),
    [("", 5), ("2", 2), ("0.5", 0.5), (" 500ms ", 0.5), ("0", 0), ("soon", 5)],
)
def test_the_wait_is_the_users(given, seconds):
    assert patience_seconds(given) == seconds


def node(name, address, alive=True):
    return {"NodeID": name, "NodeManagerAddress": address, "Alive": alive}


def test_other_hosts_are_asked_once_each_and_the_drivers_is_not():
    own = node("own", "10.0.0.1")
    assert others([own], "own") == []
    assert others([node("beside", "10.0.0.1"), own, node("gone", "10.0.0.2", False)], "own") == []
    first, second = node("a", "10.0.0.2"), node("b", "10.0.0.2")
    assert others([own, first, second], "own") == [first]
