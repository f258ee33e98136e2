"""What Python's propagators, which are ROLL's, read out of many carriers, for the Java side to agree
with (CarrierVectorsTest): python carrier_vectors.py > ../resources/carrier-vectors.json

A row is a carrier and what it gives: trace and span id, the flags, tracestate as a header, baggage;
null where there is no span. Where the Java side does otherwise on purpose, "here" has what it gives,
and "why".
"""

import json
from importlib.metadata import version

from opentelemetry import baggage, trace
from opentelemetry.propagate import extract

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPAN = "b7ad6b7169203331"
PARENT = f"00-{TRACE}-{SPAN}-01"

TRACEPARENTS = {
    "plain": PARENT,
    "unsampled": f"00-{TRACE}-{SPAN}-00",
    "flag random": f"00-{TRACE}-{SPAN}-03",
    "all flags": f"00-{TRACE}-{SPAN}-ff",
    "blank before": f" {PARENT}",
    "blank behind": f"{PARENT} ",
    "blanks and tabs around": f" \t {PARENT}\t \t",
    "blank inside": PARENT.replace("-", " -", 1),
    "line break behind": f"{PARENT}\n",
    "line break before": f"\n{PARENT}",
    "no-break space before": f"\u00a0{PARENT}",
    "in a list": [PARENT],
    "in a list, with blanks": [f" {PARENT} "],
    "two in a list": [PARENT, PARENT.replace("0a", "0b")],
    "empty list": [],
    "list of a number": [7],
    "list of an empty text": [""],
    "empty": "",
    "blank": " ",
    "null": None,
    "short": PARENT[:-1],
    "long": PARENT + "0",
    "more behind": PARENT + "-more",
    "later version": f"cc-{TRACE}-{SPAN}-01",
    "later version with more": f"cc-{TRACE}-{SPAN}-01-more",
    "later version with more, blanks": f" cc-{TRACE}-{SPAN}-01-more ",
    "later version, blanks": f" cc-{TRACE}-{SPAN}-01 ",
    "later version without dash": f"cc-{TRACE}-{SPAN}-01more",
    "version ff": f"ff-{TRACE}-{SPAN}-01",
    "upper case": PARENT.upper(),
    "zero trace": f"00-{'0' * 32}-{SPAN}-01",
    "zero span": f"00-{TRACE}-{'0' * 16}-01",
    "no hexadecimal": PARENT.replace("a", "g"),
    "underscores": PARENT.replace("-", "_"),
    "511 characters": f"cc-{TRACE}-{SPAN}-01-" + "x" * (511 - 56),
    "513 characters": f"cc-{TRACE}-{SPAN}-01-" + "x" * (513 - 56),
    "513 characters of blanks": " " * 513 + PARENT,
}

TRACESTATES = {
    "plain": "a=1",
    "two": "a=1,b=2",
    "empty member": "a=1,,b=2",
    "empty member first": ",a=1",
    "empty member last": "a=1,",
    "empty members alone": ",,",
    "blanks around": " a=1 ",
    "tabs around": "\ta=1\t",
    "blanks around members": "a=1 , b=2",
    "blank member": "a=1, ,b=2",
    "blank inside a value": "a=x y",
    "blank in front of a value": "a= x",
    "in a list": ["a=1"],
    "several in a list": ["a=1", "b=2"],
    "several in a list, empty ones": ["a=1", "", " b=2 ,"],
    "empty list": [],
    "empty": "",
    "no equals sign": "a",
    "two equals signs": "a=1=2",
    "empty key": "=1",
    "empty value": "a=",
    "duplicate key": "a=1,a=2",
    "upper case key": "A=1",
    "tenant": "t@v=1",
    "key with signs": "a-b_c*d/e=1",
    "digit first": "1a=1",
    "one bad member": "a=1,B=2",
    "key of 256": "k" * 256 + "=1",
    "key of 257": "k" * 257 + "=1",
    "value of 256": "a=" + "v" * 256,
    "value of 257": "a=" + "v" * 257,
    "32 members": ",".join(f"k{i}=1" for i in range(32)),
    "33 members": ",".join(f"k{i}=1" for i in range(33)),
    "32 members and empty ones": ",".join(f"k{i}=1," for i in range(32)),
    "5,000 characters": ",".join(f"k{i}=" + "v" * 240 for i in range(20)),
    "8,193 characters": "a=1" + "," * 8190,
    "not ASCII": "a=\u00fc",
    "number": 7,
}

BAGGAGES = {
    "plain": "a=1",
    "two": "a=1,b=2",
    "blanks": " a = 1 , b = 2 ",
    "tabs": "\ta\t=\t1\t",
    "empty member": "a=1,,b=2",
    "empty members alone": ",,",
    "empty value": "a=",
    "empty value among others": "a=,b=2",
    "empty key": "=1",
    "no equals sign": "a",
    "one bad member": "a=1,b,c=3",
    "bad key": "a b=1,c=3",
    "bad value": 'a="x",c=3',
    "equals sign in the value": "a=1=2",
    "duplicate key": "a=1,a=2",
    "percent 20": "a=x%20y",
    "percent 2C": "a=x%2Cy",
    "percent lower case": "a=x%2cy",
    "UTF-8": "a=%C3%BC",
    "UTF-8 of four octets": "a=%F0%9F%98%80",
    "no UTF-8": "a=x%FFy",
    "percent zz": "a=%zz",
    "percent at the end": "a=1%",
    "percent and a digit": "a=1%2",
    "percent percent": "a=%%20x",
    "in a list": ["a=1"],
    "empty list": [],
    "empty": "",
    "number": 7,
    "64 entries": ",".join(f"k{i}=1" for i in range(64)),
    "8,192 bytes": ",".join(f"k{i:02}=" + "v" * 124 for i in range(63)) + ",end=" + "v" * 61,
    "8,193 bytes": "a=1,b=" + "v" * 8187,
    "not ASCII": "a=\u00fc,b=2",
}

# Where W3C and Python differ, W3C holds; "here" takes the place of the value in the row.
BAGGAGES_HERE = {
    "property": ("a=1;p=2", {"a": "1"}, "a property is no part of the value (W3C Baggage, 3.3.1)"),
    "properties and blanks": ("a=1 ; p ; q = 2 , b=2", {"a": "1", "b": "2"}, "as before"),
    "property of an empty value": ("a=;p", {"a": ""}, "as before"),
    "plus": ("a=x+y", {"a": "x+y"}, "a plus sign is no blank (W3C Baggage, 3.3.1.3)"),
    "encoded blanks at the ends": ("a=%20x%20", {"a": " x "}, "what is encoded is meant"),
    "percent in the key": ("%61=1", {"%61": "1"}, "keys are not encoded (W3C Baggage, 3.3.1.2)"),
    "70 entries": (
        ",".join(f"k{i}=1" for i in range(70)),
        {f"k{i}": "1" for i in range(64)},
        "bounded by what W3C asks for",
    ),
    "5,000 characters in one": (
        "a=" + "v" * 5000,
        {"a": "v" * 5000},
        "W3C Baggage asks for 8,192 bytes together, and has no limit of one entry",
    ),
}
SPAN_ALONE = {"span": f"{TRACE}-{SPAN}-01", "tracestate": "", "baggage": {}}
NOTHING = {"span": None, "tracestate": "", "baggage": {}}
HERE = {
    "traceparent: line break behind": (NOTHING, "a line break is no blank"),
    "traceparent: list of a number": (NOTHING, "Python raises"),
    "tracestate: number": (SPAN_ALONE, "Python raises"),
    "baggage: number": (SPAN_ALONE, "Python raises"),
}


def read(carrier):
    try:
        context = extract(carrier)
    except Exception as e:  # what a hostile carrier does to Python
        return {"raises": type(e).__name__}
    span = trace.get_current_span(context).get_span_context()
    return {
        "span": f"{span.trace_id:032x}-{span.span_id:016x}-{span.trace_flags:02x}"
        if span.is_valid
        else None,
        "tracestate": span.trace_state.to_header(),
        "baggage": dict(baggage.get_all(context)),
    }


def rows():
    for name, value in TRACEPARENTS.items():
        yield {"name": f"traceparent: {name}", "carrier": {"traceparent": value}}
    for name, value in TRACESTATES.items():
        yield {
            "name": f"tracestate: {name}",
            "carrier": {"traceparent": PARENT, "tracestate": value},
        }
    for name, value in BAGGAGES.items():
        yield {"name": f"baggage: {name}", "carrier": {"traceparent": PARENT, "baggage": value}}
    for name, (value, here, why) in BAGGAGES_HERE.items():
        yield {
            "name": f"baggage: {name}",
            "carrier": {"traceparent": PARENT, "baggage": value},
            "here": {**SPAN_ALONE, "baggage": here},
            "why": why,
        }


def main():
    lines = []
    for row in rows():
        row["gives"] = read(row["carrier"])
        if row["name"] in HERE:
            row["here"], row["why"] = HERE[row["name"]]
        lines.append(json.dumps(row, ensure_ascii=True))
    made = f'"opentelemetry-api {version("opentelemetry-api")}"'
    print(f'{{"madeBy": {made}, "rows": [\n' + ",\n".join(lines) + "\n]}")


main()
