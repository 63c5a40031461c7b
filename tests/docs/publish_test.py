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
    print("\n".join(failed) or "tables, refusals and new runs are as expected")
    sys.exit(1 if failed else 0)
