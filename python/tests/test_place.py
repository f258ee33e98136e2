"""Where this process stands: which address files it believes, what its own file is called."""

import os

import pytest

from roll_otel_ray._place import Place, file_name, job_output_dir

HERE = Place({}).host


def address(tmp_path, endpoint="http://127.0.0.1:4318", token="secret", host=HERE):
    traces = tmp_path / "traces"
    traces.mkdir()
    file = traces / ".driver"
    file.write_text(f"# comment\nrun_id=r1\nhost={host}\nendpoint={endpoint}\ntoken={token}\n")
    file.chmod(0o600)
    return file


def place(tmp_path):
    return Place({"ROLL_OTEL_OUTPUT_DIR": str(tmp_path)})


def test_address_that_is_ours_is_believed(tmp_path):
    address(tmp_path, token="with\\u0020blank\\:s")
    found = place(tmp_path)
    assert found.run_id == "r1"
    assert found.collector().endpoint == "http://127.0.0.1:4318/v1/traces"
    assert found.collector().headers == {"Authorization": "Bearer with blank:s"}


def linked(file):
    target = file.with_name("target")
    file.rename(target)
    file.symlink_to(target)


def of_another_user(file):
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    os.chown(file, 4711, -1)


@pytest.mark.parametrize(
    ("make_doubtful", "why"),
    [
        (lambda file: file.chmod(0o666), "others may write it"),
        (lambda file: file.chmod(0o620), "others may write it"),
        (linked, "it is not a regular file"),
        (of_another_user, "it belongs to another user, 4711"),
    ],
)
def test_address_that_may_be_a_strangers_is_not_believed_and_said_once(
    tmp_path, capsys, make_doubtful, why
):
    make_doubtful(address(tmp_path))
    found = place(tmp_path)
    assert found.run_id != "r1"
    assert found.collector() is None
    assert found.collector() is None
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert why in said[0]


def test_root_believes_the_owner_of_the_folder(tmp_path):
    file = address(tmp_path)
    for path in (file, file.parent):
        of_another_user(path)
    assert place(tmp_path).run_id == "r1"


@pytest.mark.parametrize(
    ("endpoint", "token", "host"),
    [
        ("file:///etc/passwd", "t", HERE),
        ("ftp://127.0.0.1:21", "t", HERE),
        ("http://", "t", HERE),
        ("http://[::1", "t", HERE),
        ("nonsense", "t", HERE),
        ("", "t", HERE),
        ("http://127.0.0.1:4318", "\\u000d\\u000ax: y", HERE),
        ("http://127.0.0.1:4318", "t", "another"),
        ("http://127.1.2.3:4318", "t", "another"),
        ("http://[::1]:4318", "t", "another"),
        ("http://localhost:4318", "t", "another"),
    ],
)
def test_address_that_cannot_be_used_is_no_collector(tmp_path, endpoint, token, host):
    address(tmp_path, endpoint, token, host)
    assert place(tmp_path).collector() is None


@pytest.mark.parametrize(
    ("instance", "expected"),
    [
        ("h:1", "h-1"),
        ("a b/\u00bd\u00b2\u0661\u00e9\U0001f600_.-", "a-b---\u0661\u00e9--_.-"),
        ("w" * 200, "w" * 200),
        ("w" * 201, "w" * 150 + "-637596c547ccf0f7"),
        ("w" * 150 + "\u00e9" * 20, "w" * 150 + "-c5ab87a79a693ee0"),
        ("\u00e9" * 67, "\u00e9" * 50 + "-729c47805000e3c9"),
        ("/x:" * 100 + "\U0001f600", "-x-" * 50 + "-5b1f6beb7f70d423"),
    ],
)
def test_file_is_called_as_the_java_agent_calls_it(instance, expected):
    assert file_name(instance) == expected


@pytest.mark.parametrize(
    ("environment", "instance", "named_after_process"),
    [
        ({}, "{process}", True),
        ({"WORKER_NAME": " actor-0-G01 "}, "actor-0-G01", True),
        ({"WORKER_NAME": " "}, "{process}", True),
        ({"WORKER_NAME": "actor-0", "ROLL_OTEL_INSTANCE": "mine"}, "mine", False),
    ],
)
def test_worker_name_of_roll_is_the_instance(tmp_path, environment, instance, named_after_process):
    place = Place({"ROLL_OTEL_OUTPUT_DIR": str(tmp_path), **environment})
    process = f"{place.host}:{os.getpid()}"
    assert place.instance == instance.format(process=process)
    assert place.own_file.stem.endswith(file_name(process)) == named_after_process
    assert file_name(place.instance) in place.own_file.stem


def job(metadata_id, runtime_env="{}"):
    return (
        f'{{"runtime_env": {runtime_env},'
        f' "metadata": {{"job_submission_id": "{metadata_id}", "job_name": "n"}}}}'
    )


CACHE = "/data/r/session_2026-11-24_21-45/runtime_resources/working_dir_files/_ray_pkg_4a31"


# The same as in the agent's SubmittedJobTest.
@pytest.mark.parametrize(
    ("config", "working_directory", "more", "expected"),
    [
        (None, CACHE, {}, None),
        ("{}", CACHE, {}, None),
        (job(""), CACHE, {}, None),
        (job("raysubmit_a1"), CACHE, {}, "/data/r/roll-otel/raysubmit_a1"),
        (job("raysubmit_a1"), CACHE + "/below", {}, "/data/r/roll-otel/raysubmit_a1"),
        (job("raysubmit_a1"), "/home", {"PWD": CACHE}, "/data/r/roll-otel/raysubmit_a1"),
        (job("raysubmit_a1"), "/home", {}, "/tmp/ray/roll-otel/raysubmit_a1"),
        (job("raysubmit_a1"), "/home", {"TMPDIR": "/t"}, "/t/ray/roll-otel/raysubmit_a1"),
        (job("i"), "/home", {"TMPDIR": "/t", "RAY_TMPDIR": "/r"}, "/r/ray/roll-otel/i"),
        (job("a/b c\\u00e9"), "/home", {}, "/tmp/ray/roll-otel/a-b-c-u00e9"),
        (job("../x"), "/home", {}, "/tmp/ray/roll-otel/-.-x"),
        (job("x" * 200), "/home", {}, "/tmp/ray/roll-otel/" + "x" * 150),
        (
            job("i", '{"env_vars": {"job_submission_id": "users"}}'),
            "/home",
            {},
            "/tmp/ray/roll-otel/i",
        ),
    ],
)
def test_submitted_job_writes_beside_rays_sessions(config, working_directory, more, expected):
    environment = dict(more)
    if config is not None:
        environment["RAY_JOB_CONFIG_JSON_ENV_VAR"] = config
    assert job_output_dir(environment, working_directory) == expected


def test_submitted_job_says_once_where_its_traces_go(tmp_path, capsys):
    environment = {
        "RAY_JOB_CONFIG_JSON_ENV_VAR": job("raysubmit_said"),
        "RAY_TMPDIR": str(tmp_path),
    }
    first = Place(environment)
    Place(environment)
    assert first.output_dir == tmp_path / "ray" / "roll-otel" / "raysubmit_said"
    assert capsys.readouterr().err.splitlines() == [
        f"[roll-otel] the traces of this submitted job go to {first.output_dir}"
    ]


def test_folder_that_the_user_chose_in_rays_cache_is_said_to_be_deleted(capsys):
    chosen = Place({"ROLL_OTEL_OUTPUT_DIR": CACHE + "/output"})
    assert str(chosen.output_dir) == CACHE + "/output"
    assert "which Ray deletes" in capsys.readouterr().err
