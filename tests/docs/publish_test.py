#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/bench/publish on a small tree: which tables it writes, and which stale or strange parts it refuses."""
import contextlib
import datetime
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.dom.minidom

BENCH = pathlib.Path(__file__).resolve().parents[2] / "tools/bench"
PUBLISH = BENCH / "publish"
sys.path.insert(0, str(BENCH))
import suite  # noqa: E402

MACHINE = {
    "machine": "A <machine>", "driver": "driver 1", "about": "Alone.", "columns": ["native", "Vulkan"], "candidates": {"Vulkan": ["Krait Vulkan native"]},
    "runs": [{"title": "Suite", "date": "2026-11-24", "source": "`run`", "rows": [
        {"workload": "copy", "id": "copy", "candidates": [{"name": "peer", "ms": 2.0}, {"name": "Krait native", "ms": 1.0}, {"name": "Krait Vulkan native", "ms": 4.0},
                                                          {"name": "other", "ms": 0.5}]},
        {"workload": "sum", "candidates": [{"name": "peer", "value": "7 GFLOP/s"}, {"name": "Krait native", "ratio": 0.996}]},
        {"workload": "scan", "candidates": [{"name": "library"}, {"name": "Krait native", "ratio": [0.5, 1.5]}]}]},
             {"title": "More", "date": "2026-11-25", "source": "`more`", "rows": [
                 {"workload": "sort", "candidates": [{"name": "one peer", "ms": 0.01}, {"name": "Krait native", "ms": 0.02}]}]}],
}
GOALS = {"machines": ["machine"], "goals": [["copy", "1.0", "{copy.native}"]], "readme": ["- copy {copy.native}, {copy.Vulkan} by Vulkan"]}
PAGE = "# P\n<!-- goals: made -->\n<!-- /goals -->\n<!-- machines: made -->\n<!-- /machines -->\n"
README = "# R\n<!-- speed: made -->\n<!-- /speed -->\n"
ROWS = [
    "| workload | peer | its time | native | Vulkan | others |",
    "| **Suite**, 2026-11-24 |  | | | | `run` |",
    "| copy | peer | 2 ms | 2.00 | 0.50 | other 4.00 |",
    "| sum | peer | 7 GFLOP/s | 0.996 |  |  |",
    "| scan | library |  | 0.50 to 1.50 |  |  |",
    "| **More**, 2026-11-25 | one peer | | | | `more` |",
    "| sort |  | 10 µs | 0.50 |  |  |",
    "| copy | 1.0 | 2.00 |",
    "driver 1. 2026-11-24 to 2026-11-25. Alone.",
]
failed = []


def expect(condition, text):
    if not condition:
        failed.append(text)


class Tree:
    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        (self.root / "docs/performance").mkdir(parents=True)
        self.write("docs/performance/machine.json", json.dumps(MACHINE))
        self.write("docs/performance/goals.json", json.dumps(GOALS))
        self.write("docs/performance.md", PAGE)
        self.write("README.md", README)

    def write(self, name, text):
        (self.root / name).write_text(text)

    def read(self, name):
        return (self.root / name).read_text()

    def run(self, *words):
        done = subprocess.run([sys.executable, PUBLISH, "--root", self.root, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout


def tables(tree):
    code, said = tree.run("--check")
    expect(code == 1 and said.count("is not current") == 3, f"empty parts are not current: {said}")
    expect(tree.run()[0] == 0 and tree.run("--check")[0] == 0, "written parts are current")
    page = tree.read("docs/performance.md")
    for row in ROWS:
        expect(row in page, f"the page has not: {row}\n{page}")
    expect("- copy 2.00, 0.50 by Vulkan" in tree.read("README.md"), "README has the line")
    chart = xml.dom.minidom.parseString(tree.read("docs/performance/machine.svg"))
    expect(len(chart.getElementsByTagName("circle")) == 5, "a circle per ratio of the first column, and one in the legend")
    expect("prefers-color-scheme: dark" in tree.read("docs/performance/machine.svg"), "the chart follows the reader's colours")


def refusals(tree):
    for name, change, text in [
        ("docs/performance.md", lambda t: t.replace("| 2.00 | 0.50 |", "| 2.10 | 0.50 |"), "docs/performance.md is not current: run tools/bench/publish"),
        ("README.md", lambda t: t + "Krait is 3.77 times as fast.\n", "README.md: no table of docs/performance.md has the figure 3.77"),
        ("README.md", lambda t: t.replace("copy 2.00", "copy 2.50"), "README.md is not current"),
        ("docs/performance/machine.svg", lambda t: t.replace("copy", "Copy"), "docs/performance/machine.svg is not current"),
        ("docs/performance/goals.json", lambda t: t.replace("copy.Vulkan", "copy.OpenCL"), "no row has {copy.OpenCL}"),
        ("docs/performance/goals.json", lambda t: t.replace('["machine"]', "[]"), "goals.json lists [], and there are ['machine']"),
        ("README.md", lambda t: t.replace("<!-- /speed -->", ""), "README.md: expected one part '<!-- speed: … -->' to '<!-- /speed -->', found 0"),
    ]:
        before = tree.read(name)
        tree.write(name, change(before))
        code, said = tree.run("--check")
        expect(code == 1 and text in said, f"expected {text!r}, not {code}: {said}")
        tree.write(name, before)
    tree.write("docs/performance/old.svg", "<svg/>")
    expect("docs/performance/old.svg is of no machine" in tree.run("--check")[1], "charts of no machine are named")
    (tree.root / "docs/performance/old.svg").unlink()


def adding(tree):
    run = {"machine": "B", "date": "2026-12-01", "driver": "g++ 12", "source": "run_cpu", "rows": MACHINE["runs"][0]["rows"][:1]}
    tree.write("results.json", json.dumps(run))
    expect(tree.run("add", "machine", str(tree.root / "results.json"), "--title", "Suite")[0] == 0, "a run is taken")
    runs = json.loads(tree.read("docs/performance/machine.json"))["runs"]
    expect([(r["title"], r["date"], r["source"]) for r in runs] == [("More", "2026-11-25", "`more`"), ("Suite", "2026-12-01", "`run_cpu`")],
           f"in the place of the old one: {runs}")
    expect(tree.run("add", "new", str(tree.root / "results.json"), "--title", "T", "--columns", "native", "V=Krait Vulkan,W")[0] == 0, "a new machine")
    new = json.loads(tree.read("docs/performance/new.json"))
    expect((new["columns"], new["candidates"], new["driver"]) == (["native", "V"], {"V": ["Krait Vulkan", "W"]}, "g++ 12"), f"its head: {new}")
    tree.write("results.json", json.dumps({key: value for key, value in run.items() if key != "date"}))
    code, said = tree.run("add", "machine", str(tree.root / "results.json"), "--title", "Suite")
    expect(code == 1 and "no date: a run states when" in said, f"a run without a date is refused: {said}")


def pass_file(tree, name, dozen, ms, wrong="", count=12):
    """What a pass of bench_corpus writes: the k-th kernel takes Krait ms, and its faster peer k times as long, 3 k in the first two dozens."""
    by = 3 if dozen < 3 else 1
    entries = [{"name": f"k{dozen}.{k}", "theme": "tests", "dozen": dozen, "ms": ms, "first_ms": 9.0, "wrong": wrong,
                "gcc": {"ms": by * k * ms}, "clang": {"ms": 60 * ms}} for k in range(1, count + 1)]
    other = {"name": "of the halves", "theme": "tests", "dozen": 0, "ms": 1, "first_ms": 1, "wrong": "", "gcc": {"ms": 1}, "clang": {"ms": 1}}
    tree.write(name, json.dumps({"entries": [other, *entries]}))
    return str(tree.root / name)


def looks(tree):
    """The ledger of first looks: what it takes, refuses and sums up."""
    tree.write("docs/performance/cpu.json", json.dumps(dict(MACHINE, columns=["AVX2", "AVX-512"], candidates={}, runs=[])))
    tree.write("docs/performance/goals.json", json.dumps(dict(GOALS, machines=["machine", "cpu"], readme=["- {look.AVX2}, {look-median.AVX-512}"])))
    corpus = tree.root / "tools/bench/corpus"
    corpus.mkdir(parents=True)
    head = ["--date", "2026-12-02", "--commit", "abc", "--peers", "g++ 12"]

    def enter(dozen, fast=1.0, five=None, **other):
        slow = [pass_file(tree, f"slow{p}.json", dozen, 3.0 + p) for p in range(5)]
        quick = [pass_file(tree, f"fast{p}.json", dozen, 1.0 + p if p else fast, **other) for p in range(5)]
        return tree.run("look", str(dozen), *head, f"AVX2={','.join(slow)}", f"AVX-512={','.join(quick[:five])}")

    for text, said in [("4 passes: a first look takes the least of 5 at least", enter(1, five=4)), ("differs by 1", enter(1, wrong="gcc differs by 1")),
                       ("11 kernels of dozen 1, not 12", enter(1, count=11)), ("the next dozen is 1, not 2", enter(2)),
                       ("passes of AVX2; cpu.json has the columns AVX2, AVX-512", tree.run("look", "1", *head, "AVX2=a.json"))]:
        expect(said[0] == 1 and text in said[1], f"expected {text!r}, not {said}")
    expect(not (tree.root / "docs/performance/first-look.json").exists(), "a refused dozen leaves no ledger")
    expect(enter(1)[0] == 0, "a dozen is entered")
    code, said = enter(1, fast=0.1)
    expect(code == 1 and "dozen 1 is entered, and a first measurement is not replaced" in said, f"a second measurement is refused: {said}")
    expect(json.loads(tree.read("docs/performance/first-look.json"))["dozens"][0]["kernels"][1] == {
        "name": "k1.2", "domain": "tests", "AVX2": {"krait": 3.0, "gcc": 18.0, "clang": 180.0, "first": 9.0},
        "AVX-512": {"krait": 1.0, "gcc": 6.0, "clang": 60.0, "first": 9.0}}, "the least of the passes, as the first measurement has it")
    code, said = tree.run()
    expect("first-look.json: dozen 1 has no tools/bench/corpus/look_1.cpp" in said, f"a dozen without kernels is named: {said}")
    for dozen in range(1, 6):
        (corpus / f"look_{dozen}.cpp").write_text("")
    expect("look_5.cpp is not in docs/performance/first-look.json" in tree.run("--check")[1], "a dozen without its measurement is named")
    expect(all(enter(dozen)[0] == 0 for dozen in range(2, 6)) and tree.run()[0] == 0 and tree.run("--check")[0] == 0, "more dozens")
    page = tree.read("docs/performance.md")
    for row in ["| **First look by dozens**, 2026-12-02 | better of g++ and clang -Ofast | | | | `bench_corpus --dozen 5 --cpu-time`, least of 5 passes, g++ 12 |",
                "| 36 kernels, geometric mean |  |  | 5.29 | 5.29 |  |", "| 36 kernels, median |  |  | 6.50 | 6.50 |  |", "| 36 kernels, lowest |  |  | 1.00 | 1.00 |  |",
                "| dozen 1, geometric mean |  |  | 15.87 | 15.87 |  |", "| k3.12 (tests) |  |  | 12.00 | 12.00 |  |"]:
        expect(row in page, f"the page has not: {row}\n{page}")
    expect("| k2.12 (tests)" not in page and "- 5.29, 6.50" in tree.read("README.md"), "the last three dozens count")


def runners(tree):
    """results.json of run_cpu and run_gpu states when and how it was measured, so that `add` takes it."""
    part = tree.root / "part.json"
    part.write_text(json.dumps({"machine": "B", "rows": MACHINE["runs"][0]["rows"][:1]}))
    with contextlib.redirect_stdout(io.StringIO()):
        run = suite.Suite(tree.root / "out", tree.root, 60)
        run.results.append(part)
        expect(run.close() == 0, "a run without failures")
        run.log.close()
    result = json.loads(tree.read("out/results.json"))
    expect(result["date"] == datetime.date.today().isoformat() and result["source"].startswith("publish_test.py"), f"date and command: {result}")
    expect("driver" in result and suite.first_line("no-such-program") == "", "a program that is missing has no version")
    expect(suite.first_line("printf", "a\nb") == "a", "the first line of what a program prints")
    tree.write("out/results.json", json.dumps(dict(result, driver="driver 2")))
    code, said = tree.run("add", "third", str(tree.root / "out/results.json"), "--title", "Suite")
    expect(code == 0 and json.loads(tree.read("docs/performance/third.json"))["runs"][0]["date"] == result["date"], f"taken as it is: {said}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        a_tree = Tree(made)
        for test in (tables, refusals, adding, runners):
            test(a_tree)
    with tempfile.TemporaryDirectory() as made:
        looks(Tree(made))
    print("\n".join(failed) or "tables, refusals and new runs are as expected")
    sys.exit(1 if failed else 0)
