# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ledger of first looks, docs/performance/first-look.json: how each dozen of kernels of tools/bench/corpus/look_*.cpp measured the first time.

A dozen has the processor time in ms of Krait and of each peer, the least of its passes, by column of the machine's table. An entry is made once and
never replaced. README quotes the last three dozens."""
import json
import math
import pathlib
import statistics

LEDGER, MACHINE, SOURCES = "docs/performance/first-look.json", "cpu", "tools/bench/corpus"
KERNELS, PASSES, LAST = 12, 5, 3
PEER = "better of g++ and clang -Ofast"


def dozens(root):
    path = root / LEDGER
    return json.loads(path.read_text())["dozens"] if path.exists() else []


def least_of(files, dozen):
    """Kernel → its domain, and of all passes the least times, of first calls too."""
    if len(files) < PASSES:
        raise SystemExit(f"{len(files)} passes: a first look takes the least of {PASSES} at least")
    found = {}
    for name in files:
        entries = [e for e in json.loads(pathlib.Path(name).read_text())["entries"] if e["dozen"] == dozen]
        wrong = [f"{e['name']}: {e['wrong']}" for e in entries if e["wrong"]]
        if wrong or len(entries) != KERNELS:
            raise SystemExit(f"{name}: " + ("; ".join(wrong) or f"{len(entries)} kernels of dozen {dozen}, not {KERNELS}"))
        for e in entries:
            times = {"krait": e["ms"], "gcc": e["gcc"]["ms"], "clang": e["clang"]["ms"], "first": e["first_ms"]}
            known = found.setdefault(e["name"], {"domain": e["theme"], "ms": times})["ms"]
            known.update({key: min(known[key], ms) for key, ms in times.items()})
    return found


def enter(root, dozen, columns, about):
    """Adds a dozen, of whose columns each has the files of its passes."""
    known = dozens(root)
    if any(d["dozen"] == dozen for d in known):
        raise SystemExit(f"{LEDGER}: dozen {dozen} is entered, and a first measurement is not replaced")
    if dozen != len(known) + 1:
        raise SystemExit(f"{LEDGER}: the next dozen is {len(known) + 1}, not {dozen}")
    least = {column: least_of(files, dozen) for column, files in columns.items()}
    first, *others = least.values()
    if any(list(other) != list(first) for other in others):
        raise SystemExit("the columns are of different kernels")
    kernels = [{"name": name, "domain": kernel["domain"], **{column: found[name]["ms"] for column, found in least.items()}} for name, kernel in first.items()]
    known.append({"dozen": dozen, **about, "kernels": kernels})
    (root / LEDGER).write_text(json.dumps({"dozens": known}, indent=1, ensure_ascii=False) + "\n")


def ratio(kernel, column):
    return min(kernel[column]["gcc"], kernel[column]["clang"]) / kernel[column]["krait"]


def run_of(known, columns):
    """The ledger as a run of the machine's table: the dozens, the last three of them together, and their kernels."""
    def row(workload, of, kernels, **more):
        ratios = {column: round(of([ratio(k, column) for k in kernels]), 4) for column in columns}
        return {"workload": workload, **more, "candidates": [{"name": PEER}, *({"name": f"Krait {c}", "ratio": r} for c, r in ratios.items())]}

    def mean(ratios):
        return math.exp(statistics.fmean(map(math.log, ratios)))

    last = [k for d in known[-LAST:] for k in d["kernels"]]
    sums = [row(f"{len(last)} kernels, {name}", of, last, id=key)
            for name, of, key in [("geometric mean", mean, "look"), ("median", statistics.median, "look-median"), ("lowest", min, "look-lowest")]]
    older = [row(f"dozen {d['dozen']}, geometric mean", mean, d["kernels"]) for d in known] if len(known) > 1 else []
    return {"title": "First look by dozens", "date": known[-1]["date"], "source": known[-1]["source"],
            "rows": sums + older + [row(f"{k['name']} ({k['domain']})", min, [k]) for k in last]}


def strays(root):
    """Dozens that stand in the corpus or in the ledger alone."""
    entered = {d["dozen"] for d in dozens(root)}
    written = {int(path.stem.removeprefix("look_")) for path in (root / SOURCES).glob("look_*.cpp")}
    return [f"{SOURCES}/look_{n}.cpp is not in {LEDGER}: its first measurement comes with it" for n in sorted(written - entered)] + [
        f"{LEDGER}: dozen {n} has no {SOURCES}/look_{n}.cpp" for n in sorted(entered - written)]
