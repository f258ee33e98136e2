"""What travels in an argument's metadata."""

import pytest
from opentelemetry.trace import INVALID_SPAN, get_current_span

from roll_otel_ray._calls import RemoteCall
from roll_otel_ray._carried import Carried
from roll_otel_ray._senders import Sending

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPAN = "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{SPAN}-01"


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        (None, None),
        (b"", None),
        (b"XLANG", None),
        (b"XLANG,DEBUG:x", None),
        (f"XLANG,tp={TRACEPARENT},at=17".encode(), Carried(TRACEPARENT, 17)),
        (f"JAVA,tp={TRACEPARENT}".encode(), Carried(TRACEPARENT, 0)),
        (f"JAVA,tp={TRACEPARENT},at=soon".encode(), Carried(TRACEPARENT, 0)),
        (b"JAVA,tp=\xff\xfe,at=1", Carried("\ufffd\ufffd", 1)),
        (b"JAVA,tp=-,at=1", Carried("-", 1)),
    ],
)
def test_metadata_says_what_came(metadata, expected):
    assert Carried.of(metadata) == expected


def test_what_came_is_the_parent():
    parent = get_current_span(Carried(TRACEPARENT, 0).context).get_span_context()
    assert (f"{parent.trace_id:032x}", f"{parent.span_id:016x}") == (TRACE, SPAN)
    assert parent.is_remote


@pytest.mark.parametrize("nonsense", ["", "00", "-", "00-xyz-1-01", "\ufffd" * 300])
def test_nonsense_is_no_parent(nonsense):
    assert not get_current_span(Carried(nonsense, 0).context).get_span_context().is_valid


def test_first_argument_that_may_carry_carries():
    sending = Sending(RemoteCall("m", "f", False), INVALID_SPAN, Carried(TRACEPARENT, 5))
    assert sending.load(b"ACTOR_HANDLE") == b"ACTOR_HANDLE"
    assert not sending.is_carried
    loaded = sending.load(b"XLANG")
    assert Carried.of(loaded) == Carried(TRACEPARENT, 5)
    assert loaded.split(b",")[0] == b"XLANG"
    assert sending.is_carried
    assert sending.load(b"XLANG") == b"XLANG"


def test_run_goes_with_the_context_where_it_may_travel() -> None:
    for run_id, behind in [
        ("exp/7:seed=3", b",run=exp/7:seed=3"),
        ("", b""),
        ("a,b", b""),
        ("a b", b""),
        ("it's", b""),
        ('"a"', b""),
        ("a\\b", b""),
        ("x" * 129, b""),
    ]:
        assert Carried("-", 5, run_id).behind(b"XLANG") == b"XLANG,tp=-,at=5" + behind
        assert Carried.of(b"XLANG,tp=-,at=5" + behind) == Carried("-", 5)
