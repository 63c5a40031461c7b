#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bar charts of what bench_cpu, bench_gpu and peers.py measured: one SVG a workload.

    charts.py FOLDER RESULT.json…

A bar is a candidate's speed relative to the first one's: longer is faster. Results of several files with the same workload
(Krait and its C++ peers, Python's peers) are drawn together, relative to the first of the first file.
"""
import html
import json
import pathlib
import re
import sys

BAR, GAP, LABEL, PLOT = 22, 8, 210, 420
OURS, OTHERS, INK, GRID = "#2f6f9f", "#b9c2c9", "#1c1f23", "#d5dade"


def chart(workload, machine, candidates):
    base = candidates[0]["ms"]
    speeds = [base / c["ms"] for c in candidates]
    longest = max(speeds)
    height = 52 + len(candidates) * (BAR + GAP) + 14
    scale = PLOT / longest
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LABEL + PLOT + 150}" height="{height}" '
        f'font-family="system-ui, sans-serif" font-size="13" fill="{INK}">',
        f'<rect width="100%" height="100%" fill="#ffffff"/>',
        f'<text x="12" y="20" font-size="15" font-weight="600">{html.escape(workload)}</text>',
        f'<text x="12" y="38" fill="#5a636b">{html.escape(machine)}; speed relative to {html.escape(candidates[0]["name"])}</text>',
    ]
    one = LABEL + scale
    out.append(f'<line x1="{one:.1f}" y1="48" x2="{one:.1f}" y2="{height - 8}" stroke="{GRID}"/>')
    for i, (c, speed) in enumerate(zip(candidates, speeds)):
        y = 52 + i * (BAR + GAP)
        colour = OURS if c["name"].startswith("Krait") else OTHERS
        out.append(f'<text x="{LABEL - 8}" y="{y + 16}" text-anchor="end">{html.escape(c["name"])}</text>')
        out.append(f'<rect x="{LABEL}" y="{y}" width="{max(1.0, speed * scale):.1f}" height="{BAR}" fill="{colour}"/>')
        out.append(f'<text x="{LABEL + speed * scale + 6:.1f}" y="{y + 16}">{speed:.2f}× · {time_of(c["ms"])}</text>')
    out.append("</svg>\n")
    return "\n".join(out)


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


def write(rows, path):
    """All of it as one file that collect() reads."""
    machine = next(iter(rows.values()))[0]
    whole = [{"workload": w, "candidates": candidates} for w, (_, candidates) in rows.items()]
    pathlib.Path(path).write_text(json.dumps({"machine": machine, "rows": whole}, indent=1) + "\n")


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
