"""Runs ROLL's semantics on many payloads and writes what became of each call, for the Java agent to
agree with (ParityIT): python parity_vectors.py > ../resources/parity-vectors.json

A row is a list of calls, each with the calls inside it:

  call      traced | untraced (a worker method), attach, span (by get_tracer), dispatch (injects
            into the payload, then makes the calls inside with what arrived)
  payloads  the meta_info of each payload argument; null: the argument is null, "sent": what
            the dispatch around the call has sent
  becomes   span       of this call, or null: its trace and its parent
            suppressed whether it is, inside
            probe      a span by get_tracer inside it, or null
            injected   what inject leaves inside it: under _otel_ctx, or null for no key

Ids are literal where they came in a payload, "@0.1" for those of the call at this place, "none" for
no parent, "new" for a trace that only a probe is in. Nothing in the output is random or depends on the clock.
"""

import json
from importlib.metadata import version

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import roll

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPAN = "b7ad6b7169203331"
OTHER_TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
OTHER_SPAN = "00f067aa0ba902b7"
PARENT = f"00-{TRACE}-{SPAN}-01"

# ---- what a payload may bring


def headers(traceparent, **others):
    return {roll.KEY: {"traceparent": traceparent, **others}}


VALID = headers(PARENT)
OTHER = headers(f"00-{OTHER_TRACE}-{OTHER_SPAN}-01")
UNSAMPLED = headers(f"00-{TRACE}-{SPAN}-00")
EMPTY = {roll.KEY: {}}
NO_KEY = {}

CARRIERS = {
    "valid": VALID,
    "valid among other keys": {"global_step": 7, **VALID, "is_offload": True},
    "valid, sent by Java": headers(PARENT, **{"roll.sent_at": "1700000000000000000"}),
    "valid with tracestate": headers(PARENT, tracestate="vendor=a,other=b"),
    "valid with unknown header": headers(PARENT, vendor="a=b"),
    "valid of a later version": headers(f"cc-{TRACE}-{SPAN}-01"),
    "valid of a later version with more": headers(f"cc-{TRACE}-{SPAN}-01-more"),
    "valid with flag random": headers(f"00-{TRACE}-{SPAN}-03"),
    "valid with blanks": headers(f" {PARENT}\t"),
    "valid in a list": headers([PARENT]),
    "unsampled": UNSAMPLED,
    "no key": NO_KEY,
    "other keys only": {"global_step": 7},
    "empty map": EMPTY,
    "tracestate alone": {roll.KEY: {"tracestate": "vendor=a"}},
    "send time alone": {roll.KEY: {"roll.sent_at": "1700000000000000000"}},
    "empty traceparent": headers(""),
    "short traceparent": headers(PARENT[:-1]),
    "long traceparent": headers(PARENT + "-more"),
    "trace of zeros": headers(f"00-{'0' * 32}-{SPAN}-01"),
    "span of zeros": headers(f"00-{TRACE}-{'0' * 16}-01"),
    "upper case": headers(PARENT.upper()),
    "version ff": headers(f"ff-{TRACE}-{SPAN}-01"),
    "not hexadecimal": headers(PARENT.replace("a", "g")),
    "underscores": headers(PARENT.replace("-", "_")),
}


def call(kind, *payloads, inside=()):
    return {"call": kind, "payloads": list(payloads), "inside": list(inside)}


def traced(*payloads, inside=()):
    return call("traced", *payloads, inside=inside)


def untraced(*payloads, inside=()):
    return call("untraced", *payloads, inside=inside)


def attach(meta_info, *inside):
    return call("attach", meta_info, inside=inside)


def span(*inside):
    return call("span", inside=inside)


def dispatch(meta_info, *inside):
    return call("dispatch", meta_info, inside=inside)


SENT = "sent"

ROWS = {
    **{f"worker: {name}": [traced(carrier)] for name, carrier in CARRIERS.items()},
    **{f"attach: {name}": [attach(carrier)] for name, carrier in CARRIERS.items()},
    "attach: null": [attach(None)],
    "worker without payload": [traced()],
    "worker with null": [traced(None)],
    "untraced, valid": [untraced(VALID)],
    "untraced, empty": [untraced(EMPTY)],
    "untraced, no key": [untraced(NO_KEY)],
    # several payloads: the first gives the parent
    "first valid, second valid": [traced(VALID, OTHER)],
    "first valid, second without key": [traced(VALID, NO_KEY)],
    "first without key, second valid": [traced(NO_KEY, VALID)],
    "first empty, second valid": [traced(EMPTY, VALID)],
    "first null, second valid": [traced(None, VALID)],
    "both null": [traced(None, None)],
    # what is current plays no part
    "span around worker, valid": [span(traced(VALID))],
    "span around worker, empty": [span(traced(EMPTY))],
    "span around worker, no key": [span(traced(NO_KEY))],
    "span around worker without payload": [span(traced())],
    "span around untraced": [span(untraced(VALID))],
    "span around attach": [span(attach(VALID, span()), attach(NO_KEY, span()), span())],
    # nested worker calls
    "worker in worker, both valid": [traced(VALID, inside=[traced(OTHER)])],
    "worker in worker, inner empty": [traced(VALID, inside=[traced(EMPTY)])],
    "worker in worker, inner no key": [traced(VALID, inside=[traced(NO_KEY)])],
    "worker in worker, inner without payload": [traced(VALID, inside=[traced()])],
    "worker in worker, inner untraced": [traced(VALID, inside=[untraced(VALID)])],
    "worker in suppressed worker, valid": [traced(NO_KEY, inside=[traced(VALID)])],
    "worker in suppressed worker, empty": [traced(NO_KEY, inside=[traced(EMPTY)])],
    "worker in suppressed worker, no key": [traced(NO_KEY, inside=[traced(NO_KEY)])],
    "worker in untraced, valid": [untraced(VALID, inside=[traced(VALID), span()])],
    "worker in untraced in worker": [
        traced(VALID, inside=[untraced(NO_KEY, inside=[traced(OTHER), span()]), span()])
    ],
    "span in worker in span": [span(traced(VALID, inside=[span(span())]), span())],
    "span in suppressed": [traced(NO_KEY, inside=[span(span())])],
    "attach in worker": [traced(VALID, inside=[attach(OTHER, span(), traced(VALID)), span()])],
    "attach of null in worker": [traced(VALID, inside=[attach(None, span()), span()])],
    "worker in attach of valid, no key": [attach(VALID, traced(NO_KEY))],
    "attach in attach": [attach(VALID, span(), attach(EMPTY, span()), span())],
    "attach of valid in suppressed": [untraced(VALID, inside=[attach(VALID, span()), span()])],
    "unsampled with calls inside": [traced(UNSAMPLED, inside=[span(), traced(VALID), span()])],
    "one after the other": [traced(VALID), traced(NO_KEY), traced(EMPTY), span(), traced(OTHER)],
    # a driver's dispatch, and the worker that gets it
    "dispatch without span": [dispatch({}, traced(SENT))],
    "dispatch in span": [span(dispatch({}, traced(SENT)))],
    "dispatch in span over a stale context": [span(dispatch(VALID, traced(SENT)))],
    "dispatch in attach": [attach(VALID, dispatch({}, traced(SENT)))],
    "dispatch in attach of empty": [attach(EMPTY, dispatch({}, traced(SENT)))],
    "dispatch in worker": [
        traced(VALID, inside=[dispatch({}, traced(SENT, inside=[dispatch({}, traced(SENT))]))])
    ],
    "dispatch to two workers": [span(dispatch({}, traced(SENT), traced(SENT)))],
    "dispatch to untraced": [span(dispatch({}, untraced(SENT)))],
    "dispatch of an unsampled": [attach(UNSAMPLED, dispatch({}, traced(SENT)))],
    "dispatch with tracestate": [
        attach(CARRIERS["valid with tracestate"], dispatch({}, traced(SENT)))
    ],
}

# What the Java agent does otherwise on purpose: "here" says how, by the place of the call.
NOTHING = {"span": None, "suppressed": True, "probe": None, "injected": None}
DIFFERENCES = [
    {
        "name": "dispatch in suppressed",
        "why": "inside suppression nothing is injected, so that receivers are suppressed too; ROLL"
        " leaves an empty map, of which the receiver makes a new root",
        "calls": [untraced(VALID, inside=[dispatch(VALID, traced(SENT))])],
        "here": {"0.0": NOTHING, "0.0.0": NOTHING},
    },
    {
        "name": "baggage",
        "why": "a driver's run_id and global_step travel as W3C baggage; ROLL's carrier has none",
        "calls": [traced(headers(PARENT, baggage="a=b"))],
        "here": {
            "0": {
                "span": {"trace": TRACE, "parent": SPAN},
                "suppressed": False,
                "probe": {"trace": TRACE, "parent": "@0"},
                "injected": {"trace": TRACE, "span": "@0", "sampled": True, "baggage": "a=b"},
            }
        },
    },
]


class CountingIds:
    """The same ids on every run."""

    def __init__(self):
        self.last = 0

    def generate_span_id(self):
        self.last += 1
        return 0xC0DE000000000000 + self.last

    def generate_trace_id(self):
        return (0xC0DE << 112) + self.generate_span_id()

    def is_trace_id_random(self):
        return False


class Runner:
    """Runs a row."""

    def __init__(self, exporter):
        self.exporter = exporter
        self.at = {}
        self.spans = {}
        self.traces = {}

    def run(self, calls):
        self.all("", calls, None)
        for finished in self.exporter.get_finished_spans():
            place = finished.attributes["at"]
            parent = finished.parent
            made = {
                "trace": self.trace(finished.context.trace_id),
                "parent": "none" if parent is None else self.span(parent.span_id),
            }
            becomes = self.at[place.removesuffix("/probe")]
            becomes["probe" if place.endswith("/probe") else "span"] = made
        self.exporter.clear()
        return calls

    def all(self, prefix, calls, sent):
        for index, each in enumerate(calls):
            self.one(f"{prefix}{index}", each, sent)

    def one(self, place, each, sent):
        payloads = [sent if payload == SENT else payload for payload in each["payloads"]]

        def body():
            self.inside(place, each)

        def method(*_):
            trace.get_current_span().set_attribute("at", place)
            body()

        kind = each["call"]
        if kind in ("traced", "untraced"):
            arguments = [None if payload is None else roll.Payload(payload) for payload in payloads]
            roll.register(kind == "traced")(method)(*arguments)
        elif kind == "attach":
            with roll.attach(payloads[0]):
                body()
        elif kind == "span":
            with roll.get_tracer().start_as_current_span("span"):
                method()
        else:
            self.inside(place, each, roll.inject(dict(payloads[0])))

    def inside(self, place, each, sent=None):
        """What holds in the body of a call, and then the calls in it."""
        context = trace.get_current_span().get_span_context()
        if each["call"] in ("traced", "span") and context.is_valid:
            self.spans.setdefault(context.span_id, "@" + place)
            if trace.format_trace_id(context.trace_id).startswith("c0de"):
                self.traces.setdefault(context.trace_id, "@" + place)
        becomes = {"span": None, "suppressed": roll.suppressed(), "probe": None}
        self.at[place] = becomes
        roll.get_tracer().start_span("probe", attributes={"at": place + "/probe"}).end()
        becomes["injected"] = self.injected(roll.inject({}) if sent is None else sent)
        each["becomes"] = becomes
        self.all(place + ".", each["inside"], sent)

    def injected(self, meta_info):
        if roll.KEY not in meta_info:
            return None
        carrier = meta_info[roll.KEY]
        if "traceparent" not in carrier:
            return dict(carrier)
        _, trace_id, span_id, flags = carrier["traceparent"].split("-")
        rest = {key: value for key, value in carrier.items() if key != "traceparent"}
        return {
            "trace": self.trace(int(trace_id, 16)),
            "span": self.span(int(span_id, 16)),
            "sampled": bool(int(flags, 16) & 1),
            **rest,
        }

    def trace(self, trace_id):
        literal = trace.format_trace_id(trace_id)
        return self.traces.get(trace_id) or ("new" if literal.startswith("c0de") else literal)

    def span(self, span_id):
        return self.spans.get(span_id) or trace.format_span_id(span_id)


def vectors():
    exporter = InMemorySpanExporter()
    provider = TracerProvider(id_generator=CountingIds())
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    packages = ("opentelemetry-api", "opentelemetry-sdk", "opentelemetry-semantic-conventions")
    rows = [
        {"name": name, "calls": Runner(exporter).run(json.loads(json.dumps(calls)))}
        for name, calls in ROWS.items()
    ]
    differences = json.loads(json.dumps(DIFFERENCES))
    for row in differences:
        Runner(exporter).run(row["calls"])
    return {
        "made by": "integration-tests/src/test/python/parity_vectors.py, which says what it means",
        "packages": {name: version(name) for name in packages},
        "rows": rows,
        "differences": differences,
    }


def text(made):
    """One row a line, for the sake of diffs."""
    lists = {key: made.pop(key) for key in ("rows", "differences")}
    out = json.dumps(made, indent=1)[:-2]
    for key, rows in lists.items():
        out += f',\n "{key}": [\n' + ",\n".join(json.dumps(row) for row in rows) + "\n ]"
    return out + "\n}\n"


if __name__ == "__main__":
    print(text(vectors()), end="")
