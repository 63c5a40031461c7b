#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the examples of the public headers' docstrings: the lines between \\code and \\endcode.

  reference_examples.py [--compiler g++] [--each] [--print] [--only include/krait/arrays/array.h]

Each example becomes the body of a function, with the names below around it, and is checked by -fsyntax-only in C++20. All examples are
one translation unit; with --each those of a header are one that includes that header and krait.h alone. An error names the header and
the line of the example. An example may include more headers. Examples of headers in KERNELS see the names of a kernel, others those of a host program. Exit status 1 if
one does not compile, or if there are none."""
import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
sys.path.append(str(ROOT / "tools"))
from headers import spelled  # noqa: E402

# Headers whose examples are lines of a kernel.
KERNELS = """aggregate approx atomic bits cluster complex control debug index math math_utilities memory native random random_generators tile
    tile_elements tile_product value vec volatile warp detail/control""".split()

# What examples may name without declaring it; their own declarations hide these.
KERNEL_NAMES = """
extern kr::value<std::int64_t> i;
extern kr::value<int> n;
extern kr::view<const float> x;
extern kr::view<float> y;
extern kr::view<const float, 2> a;
extern kr::view<float, 2> b;
extern kr::view<int> counts;
extern kr::view<const int> p, q;
extern kr::var<int> total;
extern kr::value<kr::vec<float, 3>> v;
extern kr::view<kr::xoroshiro_state> states;
extern kr::tile<float, 16, 16> t;
extern const char ptx[];
"""
HOST_NAMES = """
extern kr::array<float> x, y, bias;
extern kr::array<float, 2> a, b;
extern kr::array<std::int64_t> indices, offsets, indptr, columns;
inline const auto scale = kr::kernel([](kr::view<float> v) { for (auto k : kr::grid_stride(v.size())) v[k] = 2.0f * v[k]; });
inline const auto saxpy = kr::kernel([](kr::value<float> s, kr::view<const float> p, kr::view<float> q) {
  for (auto k : kr::grid_stride(q.size())) q[k] = s * p[k] + q[k];
});
extern const char ptx[];
"""
# krait/dist.h is no part of krait.h.
DIST_NAMES = """
extern kr::dist::world ranks;
extern kr::dist::array<double, 2> t, next, rows, columns, a, b;
extern kr::dist::array<double> d, r, x, y;
const kr::launch_config shape{1, 32};
inline const auto clip = kr::vectorize([](auto v, auto most) { return kr::min(v, most); });
extern int step, n;
inline const auto heat = kr::kernel([](kr::view<const double, 2> p, kr::view<double, 2> q) {
  for (auto k : kr::grid_stride(q.extent(0))) q(k, 0) = p(k, 0);
});
"""
STANDARD = "complex cstdint cstdio iostream string tuple vector".split()


class Example:
    def __init__(self, path, line, text):
        self.path, self.header, self.line, self.text = path.relative_to(ROOT), spelled(path), line, text
        self.kernel = self.header in {f"krait/{name}.h" for name in KERNELS}
        self.dist = "/dist" in self.header

    def function(self):
        place = f'#line {self.line} "{self.path}"'
        text = re.sub(r"(?m)^#include.*$", "", self.text)
        names = "kernel_names" if self.kernel else "dist_names" if self.dist else "host_names"
        name = re.sub(r"\W", "_", self.header)
        return f"namespace {names} {{\nvoid {name}_{self.line}() {{\n{place}\n{text}\n}}\n}}\n"


def examples_of(path):
    begin, lines = 0, []
    for number, line in enumerate(path.read_text().split("\n"), 1):
        comment = re.match(r"\s*///( ?)(.*)$", line)
        text = comment[2] if comment else None
        if begin and (text is None or text.strip() == r"\endcode"):
            if text is None:
                sys.exit(f"{path.relative_to(ROOT)}:{number}: this \\code has no \\endcode")
            yield Example(path, begin, "\n".join(lines))
            begin, lines = 0, []
        elif text is not None and text.strip() == r"\code":
            begin = number + 1
        elif begin:
            lines.append(text)


def source_of(examples, headers):
    named = [line for e in examples for line in re.findall(r"(?m)^#include.*$", e.text)]
    first = ["krait/dist.h"] if any(e.dist for e in examples) else []  # its parts come after it
    include = "".join(f"#include <{name}>\n" for name in [*STANDARD, "krait/krait.h", "krait/tile.h", *first, *headers])
    include += "".join(f"{line}\n" for line in named)
    names = f"namespace kernel_names {{{KERNEL_NAMES}}}\nnamespace host_names {{{HOST_NAMES}}}\n"
    if any(e.dist for e in examples):
        names += f"namespace dist_names {{{DIST_NAMES}}}\n"
    return f"{include}namespace kr = krait;\n{names}" + "".join(e.function() for e in examples)


def compile_source(compiler, source):
    flags = ["-std=c++20", "-fsyntax-only", "-w", f"-I{INCLUDE}", "-x", "c++", "-"]
    run = subprocess.run([compiler, *flags], input=source, text=True, capture_output=True)
    print(run.stderr, end="")
    return run.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--each", action="store_true", help="one translation unit for each header")
    parser.add_argument("--print", action="store_true", help="print the translation unit")
    parser.add_argument("--only", metavar="HEADER", help="only the examples of this header")
    options = parser.parse_args()
    examples = [e for path in sorted(INCLUDE.glob("krait/**/*.h")) for e in examples_of(path)]
    every = sorted({e.header for e in examples})
    if options.only:
        examples = [e for e in examples if options.only.endswith(e.header)]
    if not examples:
        sys.exit("reference_examples.py: there are no examples")
    groups = {}
    for e in examples:
        groups.setdefault(e.header if options.each else "", []).append(e)
    good = True
    for group in groups.values():
        # Examples of names that detail headers declare may use any header.
        anywhere = any("/detail/" in e.header for e in group)
        source = source_of(group, every if anywhere else sorted({e.header for e in group}))
        if options.print:
            print(source)
        good = compile_source(options.compiler, source) and good
    print(f"{len(examples)} examples of {len({e.header for e in examples})} headers" + ("" if good else ": some do not compile"))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
