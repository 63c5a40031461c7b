#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Charts of what the benchmark programs measured, as SVG that follows the reader's light or dark colours.

    charts.py FOLDER RESULT.json…    # one bar chart per workload

A bar is a candidate's speed relative to the first one's: longer is faster. Results of several files with the same workload
(Krait and its C++ peers, Python's peers) are drawn together, relative to the first of the first file.
rows_chart() is the chart of a whole table, which tools/bench/publish draws: one row per workload, one mark per column, on a
logarithmic axis whose middle is the peer's speed."""
import html
import json
import math
import pathlib
import re
import sys

BAR, GAP, LABEL, PLOT = 22, 8, 210, 420
# Colours that are told apart by people who see few, on white and on near black; the shapes of marks differ, too.
STYLE = """<style>
svg { color-scheme: light dark; }
text { fill: #1c1f23; } .dim { fill: #5a636b; } .ground { fill: #ffffff; } .grid { stroke: #d5dade; } .one { stroke: #5a636b; }
.ours, .mark0 { fill: #2f6f9f; } .others { fill: #b9c2c9; } .mark1 { fill: #c4622d; } .mark2 { fill: #3f7d4e; } .span { stroke-width: 2; stroke: #8a949c; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6e9ec; } .dim { fill: #a3adb5; } .ground { fill: #16191d; } .grid { stroke: #363c43; } .one { stroke: #a3adb5; }
  .ours, .mark0 { fill: #6cb2e6; } .others { fill: #59636c; } .mark1 { fill: #f0945f; } .mark2 { fill: #79c48c; } .span { stroke: #78828b; }
}
</style>"""


def head(width, height, title, about):
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="13">',
        f"<title>{html.escape(title)}</title>",
        STYLE,
        '<rect class="ground" width="100%" height="100%"/>',
        f'<text x="12" y="20" font-size="15" font-weight="600">{html.escape(title)}</text>',
        f'<text class="dim" x="12" y="38">{html.escape(about)}</text>',
    ]


def chart(workload, machine, candidates):
    base = candidates[0]["ms"]
    speeds = [base / c["ms"] for c in candidates]
    height = 52 + len(candidates) * (BAR + GAP) + 14
    scale = PLOT / max(speeds)
    out = head(LABEL + PLOT + 150, height, workload, f'{machine}; speed relative to {candidates[0]["name"]}')
    one = LABEL + scale
    out.append(f'<line class="grid" x1="{one:.1f}" y1="48" x2="{one:.1f}" y2="{height - 8}"/>')
    for i, (c, speed) in enumerate(zip(candidates, speeds)):
        y = 52 + i * (BAR + GAP)
        colour = "ours" if c["name"].startswith("Krait") else "others"
        out.append(f'<text x="{LABEL - 8}" y="{y + 16}" text-anchor="end">{html.escape(c["name"])}</text>')
        out.append(f'<rect class="{colour}" x="{LABEL}" y="{y}" width="{max(1.0, speed * scale):.1f}" height="{BAR}"/>')
        out.append(f'<text x="{LABEL + speed * scale + 6:.1f}" y="{y + 16}">{speed:.2f}× · {time_of(c["ms"])}</text>')
    out.append("</svg>\n")
    return "\n".join(out)


ROW, NAMES, AXIS = 17, 330, 440


def rows_chart(title, about, columns, rows):
    """`rows`: (workload, ratios), where a ratio is a number, a pair (lowest, highest) or None, one per column."""
    ratios = [end for _, values in rows for value in values if value for end in (value if isinstance(value, tuple) else (value,))]
    low, high = min([*ratios, 0.5]), max([*ratios, 2.0])
    at = lambda ratio: NAMES + AXIS * math.log(ratio / low) / math.log(high / low)  # noqa: E731
    top, height = 84, 84 + len(rows) * ROW + 16
    out = head(NAMES + AXIS + 40, height, title, about)
    for i, column in enumerate(columns):
        out += [mark(i, 18 + 150 * i, 56), f'<text x="{28 + 150 * i}" y="60">{html.escape(column)}</text>']
    for tick in (0.1, 0.25, 0.5, 1, 2, 4, 8, 16):
        if low <= tick <= high:
            out.append(f'<line class="{"one" if tick == 1 else "grid"}" x1="{at(tick):.1f}" y1="{top - 6}" x2="{at(tick):.1f}" y2="{height - 10}"/>')
            out.append(f'<text class="dim" x="{at(tick):.1f}" y="{top - 10}" text-anchor="middle" font-size="11">{tick:g}×</text>')
    for number, (workload, values) in enumerate(rows):
        y = top + number * ROW + ROW // 2
        out.append(f'<text x="{NAMES - 12}" y="{y + 4}" text-anchor="end" font-size="12">{html.escape(workload)}</text>')
        for i, value in enumerate(values):
            if isinstance(value, tuple):
                out.append(f'<line class="span" x1="{at(value[0]):.1f}" y1="{y}" x2="{at(value[1]):.1f}" y2="{y}"/>')
                value = math.sqrt(value[0] * value[1])
            if value:
                out.append(mark(i, at(value), y))
    out.append("</svg>\n")
    return "\n".join(out)


def mark(column, x, y):
    """A circle, a square, a triangle."""
    if column == 0:
        return f'<circle class="mark0" cx="{x:.1f}" cy="{y}" r="5"/>'
    if column == 1:
        return f'<rect class="mark1" x="{x - 4:.1f}" y="{y - 4}" width="8" height="8"/>'
    return f'<path class="mark2" d="M{x - 5:.1f} {y + 4}h10l-5 -9z"/>'


def collect(files):
    """Workload → (machine, candidates), in the order of the files. Of a run on empty caches (…_cold.json) what is not a peer."""
    rows = {}
    for name in files:
        result = json.loads(pathlib.Path(name).read_text())
        for row in result["rows"]:
            candidates = [c for c in row["candidates"] if c["ms"] > 0]
            if pathlib.Path(name).stem.endswith("_cold"):
                candidates = [dict(c, name=c["name"] + ", cold disk") for c in candidates if c["name"].startswith("Krait")]
            if candidates:
                rows.setdefault(row["workload"], (result["machine"], []))[1].extend(candidates)
    return rows


def write(rows, path, **about):
    """All of it as one file that collect() and tools/bench/publish read. `about`: date, driver and source of the run."""
    machine = next(iter(rows.values()))[0]
    whole = [{"workload": w, "candidates": candidates} for w, (_, candidates) in rows.items()]
    pathlib.Path(path).write_text(json.dumps({"machine": machine, **about, "rows": whole}, indent=1) + "\n")


def time_of(ms):
    return f"{ms:.4g} ms" if ms >= 0.1 else f"{ms * 1e3:.4g} µs"


def table(rows):
    """The same as Markdown: times, and speeds relative to the first candidate."""
    lines = ["| workload | candidate | time | speed |", "|---|---|---|---|"]
    for workload, (_, candidates) in rows.items():
        for i, c in enumerate(candidates):
            lines.append(f"| {workload if i == 0 else ''} | {c['name']} | {time_of(c['ms'])} | {candidates[0]['ms'] / c['ms']:.3f} |")
    return "\n".join(lines) + "\n"


def draw(rows, folder):
    target = pathlib.Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    drawn = []
    for workload, (machine, candidates) in rows.items():
        drawn.append(target / (re.sub(r"[^a-z0-9]+", "-", workload.lower()).strip("-") + ".svg"))
        drawn[-1].write_text(chart(workload, machine, candidates))
    return drawn


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    results = collect(sys.argv[2:])
    print(table(results))
    for path in draw(results, sys.argv[1]):
        print(path)
